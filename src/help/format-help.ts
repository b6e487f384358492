import type { Command, Help } from 'commander';
import { additionsTo, exampleLines } from './document.ts';
import { wrap } from './text.ts';

/** The heading of the flags of the program itself. */
export const helpGroup = 'Help:';

/**
 * The help of a command: usage, description, arguments, subcommands, its own flags, the shared ones, examples.
 * Commander's own order has the commands last.
 */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const termWidth = helper.padWidth(command, helper);
  const item = (term: string, meaning: string): string => helper.formatItem(term, termWidth, meaning, helper);
  const commands = helper.visibleCommands(command);
  const flags = helper.visibleOptions(command);
  const { examples, terms } = additionsTo(command);
  const flagGroups = helper.groupItems(
    [...command.options],
    flags,
    (flag) => flag.helpGroupHeading ?? 'Options:',
  );
  const sections = [
    [`Usage: ${helper.commandUsage(command)}`],
    [helper.boxWrap(helper.commandDescription(command), width)],
    section(
      'Arguments:',
      command.registeredArguments.map((argument) => item(argument.name(), argument.description)),
    ),
    ...[...helper.groupItems([...command.commands], commands, (one) => one.helpGroup() || 'Actions:')].map(
      ([heading, group]) =>
        section(
          heading,
          group.map((one) => item(helper.subcommandTerm(one), helper.subcommandDescription(one))),
        ),
    ),
    ...[...flagGroups].map(([heading, group]) =>
      section(
        heading,
        group.map((flag) => item(helper.optionTerm(flag), helper.optionDescription(flag))),
      ),
    ),
    terms === null
      ? []
      : [...wrap(terms.heading, width), ...terms.rows.map(([term, meaning]) => item(term, meaning))],
    section('Examples:', exampleLines(examples, width)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines];
}
