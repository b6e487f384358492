import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A network between program and service that can be taken away, at an address of its own. */
export interface FlakyProxy {
  readonly url: string;
  /** From now on no response passes. */
  hold(): void;
  /** The same from the response of this number on, counted from 1. */
  holdFrom(answer: number): void;
  release(): void;
  /** Ends every connection in the middle of what it is doing. */
  breakOff(): void;
  /** Cuts the network once the next response has passed. */
  closeAfterAnswer(): void;
  reopen(): Promise<void>;
}

/** Opens a gate before a service. */
export async function openFlakyProxy(t: TestContext, service: string): Promise<FlakyProxy> {
  const { port: servicePort } = new URL(service);
  const sockets = new Set<Socket>();
  let held = false;
  let closing = false;
  let answers = 0;
  let last = Number.POSITIVE_INFINITY;
  let waiting: (() => void)[] = [];
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const make = (): Server =>
    createServer((outer) => {
      const inner = connect(Number(servicePort), '127.0.0.1');
      for (const socket of [outer, inner]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          outer.destroy();
          inner.destroy();
        });
      }
      outer.on('data', (bytes) => inner.write(bytes));
      let received = Buffer.alloc(0);
      inner.on('data', (bytes) => {
        if (held) return;
        if (answers + 1 >= last) {
          waiting.push(() => outer.write(bytes));
          return;
        }
        received = Buffer.concat([received, bytes]);
        const head = received.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(received.subarray(0, head).toString())?.[1]);
        const whole = head >= 0 && received.length >= head + 4 + length;
        if (whole) {
          received = Buffer.alloc(0);
          answers++;
        }
        if (!closing) return outer.write(bytes);
        // Said beforehand: nobody may send another request on a connection that is just going.
        if (whole) server.close();
        outer.write(bytes.toString('latin1').replace('keep-alive', 'close     '), 'latin1');
        if (!whole) return;
        closing = false;
        outer.end();
        inner.destroy();
      });
    });
  let server = make();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.close();
    end();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    hold: () => {
      held = true;
    },
    holdFrom: (answer) => {
      last = answer;
    },
    release: () => {
      held = false;
      last = Number.POSITIVE_INFINITY;
      for (const write of waiting) write();
      waiting = [];
    },
    breakOff: end,
    closeAfterAnswer: () => {
      closing = true;
    },
    reopen: async () => {
      end();
      server = make();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    },
  };
}
