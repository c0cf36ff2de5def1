// Chromium with the page, from disk and without a network.

import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { web } from "./module.mjs";

export const address = pathToFileURL(join(web, "explorer.html")).href;

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

/** A page of a fresh profile, and every message that it has left. */
export async function open(browser, fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  const messages = [];
  page.on("console", message => messages.push(message.text()));
  page.on("pageerror", error => messages.push(`exception: ${error.message}`));
  await page.goto(address + fragment);
  await page.waitForSelector("[data-drawn], #alert:not([hidden])");
  return { page, messages, context };
}

/** Goes to another fragment on the same page, and waits until it was taken. */
export async function go(page, fragment) {
  await page.evaluate(fragment => {
    for (const view of document.querySelectorAll(".view")) delete view.dataset.drawn;
    document.getElementById("alert").hidden = true;
    if (location.hash === fragment) dispatchEvent(new Event("hashchange"));
    else location.hash = fragment;
  }, fragment);
  await page.waitForSelector("[data-drawn], #alert:not([hidden])", { timeout: 20000 });
}

export const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
