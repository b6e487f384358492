import { Chalk, type ChalkInstance } from 'chalk';

/**
 * Returns the colours that every colour terminal has. Call it only to print a colour: loading chalk takes 7 ms, which the
 * build defers until this call.
 */
export const colors = (): ChalkInstance => new Chalk({ level: 1 });
