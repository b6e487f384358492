import { join } from 'node:path';
import { effectiveFormat, tableInFile } from '../cli/options.ts';
import { usage } from '../errors.ts';
import { resolveFile, type Target } from '../fs/target.ts';
import { parseFields } from '../output/fields.ts';
import type { Listing, ListStart, Prepared } from '../run/listing-plan.ts';
import { dryRunRequest } from './dry-run-request.ts';
import { exportReference } from './export-reference.ts';
import { exportFolder } from './folder.ts';

/** A listing into a file, or into a folder of files. */
export async function prepare(listing: Listing): Promise<Prepared> {
  const { options, operation, starts } = listing;
  const { shared, outputDir, update } = options;
  const fields = shared.fields === null ? null : parseFields(shared.fields, operation.name);
  const format = outputDir === null ? effectiveFormat(shared, false) : (shared.format ?? 'ndjson');
  if (format === 'table') throw tableInFile();
  const settings = { listing, format, fields };
  if (update && fields !== null && !fields.some(({ name }) => name === 'videoId')) {
    throw usage('--update needs videoId among the --fields', 'it tells known videos from new ones');
  }
  const [start] = starts;
  if (outputDir === null && shared.output !== null && start !== undefined) {
    const target = await resolveFile(shared.output);
    return {
      requests: [await dryRunRequest(settings, start, target)],
      work: async (call) => {
        const receipt = await exportReference(call, settings, start, async () => target);
        call.receipts.push(receipt);
        if (receipt.failure?.scope === 'call') throw receipt.failure;
      },
    };
  }
  return {
    requests: await Promise.all(
      starts.map(async (each) =>
        dryRunRequest(settings, each, await knownTarget(each, outputDir ?? '', format)),
      ),
    ),
    work: (call) => exportFolder(call, settings, outputDir ?? ''),
  };
}

/** The file of a reference in a folder; null where its name, or the folder, is only known after a request. */
async function knownTarget({ id }: ListStart, folder: string, format: string): Promise<Target | null> {
  if (id === null) return null;
  try {
    return await resolveFile(join(folder, `${id}.${format}`));
  } catch {
    // Whatever is wrong with it concerns this one alone, and is told when its turn comes.
    return null;
  }
}
