// Every view of the page, and how a person comes to it: for the tests of what must hold in all of them.

const still = { reducedMotion: "reduce" };
const phone = { ...still, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** `shows(page)` leads to the view from a page that shows its first run. */
const ways = [
  { name: "the lab", shows: async () => {} },
  { name: "the list of scenarios", shows: (page) => button(page, "Choose another scenario").click() },
  {
    name: "the lab with everything opened that opens",
    shows: async (page) => {
      await button(page, "All other settings").click();
      await page.getByRole("button", { name: "Why?", exact: true }).first().click();
      await page.locator("section.why li").first().waitFor();
      await page.keyboard.press("c");
      await page.locator("section.relating li").first().waitFor();
      await page.getByRole("spinbutton", { name: "ttl in seconds" }).fill("0");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").filter({ hasText: "0 is not possible" }).waitFor();
      await button(page, "Freeze machine").click();
      await page.getByRole("button", { name: "Done with this fault" }).waitFor();
      for (const summary of await page.locator("main summary").all()) await summary.click();
      await page.getByRole("textbox", { name: /^Note at/ }).fill("look here");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("button", { name: /look here$/ }).waitFor();
    },
  },
  {
    name: "two runs compared",
    shows: async (page) => {
      await button(page, "Fork").click();
      await page.getByRole("button", { name: "Freeze machine" }).click();
      await page.getByRole("region", { name: "Both runs, figure by figure" }).waitFor();
    },
  },
  { name: "the settings reference", hash: "#/settings", shows: (page) => page.getByRole("heading", { name: "All settings" }).waitFor() },
  { name: "within another page", hash: "?embed=1", shows: (page) => page.locator("#verdict-now").waitFor() },
  {
    name: "the help sheet",
    shows: async (page) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
    },
  },
  {
    name: "the sheet of links and files",
    shows: async (page) => {
      await button(page, "Link and file").click();
      await page.getByText("Show it in a page of your own").click();
    },
  },
  {
    name: "the list of recordings",
    shows: async (page) => {
      await button(page, "What really happened").click();
      await page.locator("dialog summary").first().click();
    },
  },
  {
    name: "a recorded run",
    shows: async (page) => {
      await button(page, "What really happened").click();
      await page.locator("dialog summary").first().click();
      await page.locator("dialog .runs button").first().click();
      await page.getByRole("heading", { name: /^Recorded: real/ }).waitFor();
      await page.locator("#verdict-now").waitFor();
    },
  },
];

export const VIEWS = ways.flatMap(({ name, shows, hash }) =>
  [
    ["light", { ...still, colorScheme: "light" }],
    ["dark", { ...still, colorScheme: "dark" }],
    ["on a phone", { ...phone, colorScheme: "light" }],
  ].map(([how, options]) => ({
    name: `${name}, ${how}`,
    options: hash ? { ...options, hash } : options,
    open: async (page) => {
      if (!hash) await page.locator("#verdict-now").waitFor();
      await shows(page);
    },
  })),
);
