import { Chalk, type ChalkInstance } from 'chalk';

/**
 * Returns the colours that every colour terminal has. Called only where one is printed: loading chalk takes 7 ms, and the
 * build puts it off until here.
 */
export const colors = (): ChalkInstance => new Chalk({ level: 1 });
