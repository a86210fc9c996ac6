/**
 * Your own pages. This app gets every request that no operation of config.yaml serves. A request to which it does not
 * respond gets 404 or 405. You own this file: it is written once and never overwritten.
 *
 * Example: app.get('/version', (request, response) => response.json({ version: 1 }));
 */
import express, { type Express } from 'express';

export const app: Express = express();

app.disable('x-powered-by');
