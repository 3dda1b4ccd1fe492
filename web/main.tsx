/** The viewer in a browser, with a server behind it. */
import { render } from 'preact';
import { App } from './app/App.tsx';
import { fetchApi } from './app/api.ts';

const place = document.getElementById('app');
if (place) render(<App api={fetchApi()} />, place);
