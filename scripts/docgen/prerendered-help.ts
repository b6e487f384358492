import { topicNames } from '../../src/cli/commands.ts';
import { helpText, helpTopics } from '../../src/cli/help-text.ts';
import { prerenderedHelpFile } from '../../src/help/text.ts';

/** All help texts by the name of the file that the build writes them to, for `src/launch.ts` to read. */
export async function prerenderedHelp(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const add = async (file: string, name: string | null): Promise<void> => {
    const text = await helpText(name);
    if (text === null) throw new Error(`there is no help on '${name}'`);
    texts.set(file, text);
  };
  await add(prerenderedHelpFile('program', []), null);
  for (const name of await helpTopics()) {
    const kind = (topicNames as readonly string[]).includes(name) ? 'topic' : 'command';
    await add(prerenderedHelpFile(kind, name.split(' ')), name);
  }
  return texts;
}
