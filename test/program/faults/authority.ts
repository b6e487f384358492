import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

const run = promisify(execFile);
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const longAgo = '20200101000000Z';
const farOff = '20991231235959Z';

/** A private certificate authority, made by openssl in a folder. Two of them do not trust each other. */
export async function createAuthority(folder: string) {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  await openssl(
    ...['req', '-x509', ...curve, '-subj', '/CN=Test authority', '-days', '3650'],
    ...['-keyout', 'ca.key', '-out', 'ca.pem', '-addext', 'keyUsage=critical,keyCertSign'],
  );
  await writeFile(join(folder, 'index.txt'), '');
  await writeFile(join(folder, 'serial'), '01\n');
  await writeFile(join(folder, 'ca.cnf'), settings);
  let issued = 0;
  return {
    /** Its own certificate: what NODE_EXTRA_CA_CERTS names. */
    file: join(folder, 'ca.pem'),
    /** A certificate for names such as `DNS:service.test` or `IP:127.0.0.1`, valid between two dates. */
    issue: async (names: string, from = longAgo, until = farOff): Promise<Credentials> => {
      const name = `server${++issued}`;
      await writeFile(join(folder, `${name}.ext`), `subjectAltName=${names}\n`);
      await openssl(
        ...['req', '-new', ...curve, '-subj', `/CN=${name}`],
        ...['-keyout', `${name}.key`, '-out', `${name}.csr`],
      );
      await openssl(
        ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-extfile', `${name}.ext`],
        ...['-startdate', from, '-enddate', until, '-in', `${name}.csr`, '-out', `${name}.pem`],
      );
      const read = (extension: string) => readFile(join(folder, `${name}.${extension}`), 'utf8');
      return { key: await read('key'), cert: await read('pem') };
    },
  };
}

const settings = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
[any]
commonName = supplied
`;
