/** A straightforward third-party API call: Express 5, and axios with a keep-alive agent. */
import { Agent } from 'node:http';
import axios from 'axios';
import express from 'express';
import { logAddress } from './listening.js';

interface Forecast {
  readonly city: string;
  readonly now: { readonly temperature: number; readonly wind: number };
}

const weather = axios.create({
  baseURL: process.env['THIRD_PARTY'] ?? '',
  timeout: 30_000,
  httpAgent: new Agent({ keepAlive: true }),
});
const app = express();
app.use(express.json());

app.get('/weather/:city', async (request, response) => {
  const { data } = await weather.get<Forecast>(`/forecast/${encodeURIComponent(request.params.city)}`);
  response.json({ city: data.city, temperature: data.now.temperature, wind: data.now.wind });
});

const server = app.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
