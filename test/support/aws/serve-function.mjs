// Serves the handler of a bundle over HTTP, as the gateway does: a request becomes an event, an answer a response.
import { createServer } from 'node:http';

const { handler } = await import(process.argv[2]);
const context = { functionName: 'test', awsRequestId: 'request', getRemainingTimeInMillis: () => 29_000 };

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { pathname } = new URL(request.url, 'http://gateway');
  try {
    const { statusCode, headers, body } = await handler(
      {
        rawPath: pathname,
        requestContext: { http: { method: request.method } },
        headers: request.headers,
        body: Buffer.concat(chunks).toString('base64'),
        isBase64Encoded: true,
      },
      context,
    );
    response.writeHead(statusCode, headers).end(body);
  } catch {
    response.writeHead(500).end('{"message":"Internal Server Error"}');
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening ${server.address().port}\n`));
