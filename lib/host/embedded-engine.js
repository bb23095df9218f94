// The embedded database, served on a local socket in a thread of its own. The engine throws where nobody can catch it when
// its files cannot be written; here that ends the thread, at the first failed write and before another one is answered,
// and reaches the host as one error instead of ending it. Plain JavaScript, because a thread is started from a file that
// must be the same from the sources and from the bundle.
import { parentPort, workerData } from 'node:worker_threads';
import dynalite from 'dynalite';

const server = dynalite({ path: workerData.path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });

// Only the host calls, and it keeps its connections: closing an idle one could meet a request on its way.
server.keepAliveTimeout = 0;

process.on('uncaughtException', (error) => {
  // The engine throws also for a caller that hung up in the middle of a request, which is no fault of the store.
  if (error.code !== 'ECONNRESET') throw error;
});

server.listen(workerData.socketPath, () => parentPort.postMessage('serving'));

parentPort.once('message', () => {
  server.close((error) => {
    if (error) throw error;
    parentPort.close();
  });
  // Requests on their way are answered; one that hangs does not hold the host up.
  setTimeout(() => server.closeAllConnections(), 2_000).unref();
});
