/** The version in package.json, put here by the build. */
declare const CHANLIST_VERSION: string;

export const version: string = typeof CHANLIST_VERSION === 'string' ? CHANLIST_VERSION : '0.0.0-source';
