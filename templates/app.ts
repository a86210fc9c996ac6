/**
 * Your own pages. The operations of config.yaml answer first; every other request comes here, and what you do not
 * answer ends as 404 or 405. This file is yours: it is written once and never overwritten.
 */
import express, { type Express } from 'express';

export const app: Express = express();

app.disable('x-powered-by');
