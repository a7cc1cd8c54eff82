/** The page of jobs and posts: how it is served, and its flows in a browser. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { GraphQLEnumType, parse, validate } from 'graphql';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { buildSchema } from '../../src/capabilities/schema.ts';
import { setUps } from '../../src/kernel/set-up.ts';
import { documentsOfPages } from '../../src/pages/documents.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { schema } from '../support/schema.ts';
import { chromium } from '../support/servers.ts';
import { lowContrast } from '../webhooks-page/contrast.ts';

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"><rect width="1200" height="800" fill="teal"/></svg>';

it.each(setUps)('sends operations that the schema of the set-up has: %s', async (setUp) => {
  const own = buildSchema(setUp);
  const webhooksPage = setUp === 'embedded' || setUp === 'own-webhooks';
  const documents = await documentsOfPages(setUp, webhooksPage);
  expect(documents.length > 3).toBe(webhooksPage);
  for (const text of documents) expect(validate(own, parse(text)), text).toEqual([]);
});

it('has words for every code of an issue, and for every failure that is no mistake in the input', async () => {
  // @ts-expect-error: a module of the browser has no types
  const { failureOf, issueText } = await import('../../src/pages/jobs-and-posts/browser/failures.js');
  const codesOf = (name: string): string[] => {
    const type = schema.getType(name);
    return type instanceof GraphQLEnumType ? type.getValues().map((value) => value.name) : [];
  };
  const message = 'input.x must be so';
  const failures = codesOf('ErrorCode').filter((code) => failureOf({ code, message }).text === message);
  expect(failures.sort()).toEqual([
    // Its message names the scope.
    'INSUFFICIENT_PRIVILEGES',
    'INVALID_PARAMETERS',
    'LIMIT_TOO_HIGH',
    'MALFORMED_REQUEST',
    'MISSING_PARAMETERS',
  ]);
  const issues = codesOf('IssueCode').filter((code) => issueText({ code, limit: 3, message }) === `It ${message}.`);
  expect(issues).toEqual(['UNKNOWN_FIELD']);
});

const statusWith = async (environment: Record<string, string>): Promise<number> => {
  const gateway = await startGateway({ environment });
  onTestFinished(gateway.close);
  return (await fetch(`${gateway.address}/jobs-and-posts`)).status;
};

it.each([
  ['where it is switched off', { WEBHOOKS_PAGE: 'off' }],
  ['in proxy mode', { UPSTREAM_URL: 'http://127.0.0.1:1' }],
])('is not there %s', async (_case, environment) => {
  expect(await statusWith(environment)).toBe(404);
});

it('has posts alone in front of a service, which cannot list postings', async () => {
  const gateway = await startGateway({
    environment: {
      UPSTREAM_URL: 'http://127.0.0.1:1',
      UPSTREAM_API_KEY: 'key-of-the-service',
      WEBHOOKS: 'own',
      PUBLIC_URL: 'https://gateway.example',
    },
  });
  onTestFinished(gateway.close);
  const text = await (await fetch(`${gateway.address}/jobs-and-posts`)).text();
  expect(text).toContain('href="#posts"');
  expect(text).not.toContain('href="#jobs"');
});

it('runs its own scripts alone, shows pictures of any network, and may not be framed', async () => {
  const gateway = await startGateway({ environment: { DEMO: 'on', PUBLIC_URL: 'http://sandbox.example' } });
  onTestFinished(gateway.close);
  const response = await fetch(`${gateway.address}/jobs-and-posts`);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).toContain("img-src data: 'self' https: http://sandbox.example;");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(await response.text()).not.toMatch(/<script(?![^>]* src=|[^>]*json)|<style|style=|\{\{/);
});

it('begins the lists of the demo with what works', async () => {
  const gateway = await startGateway({ environment: { DEMO: 'on' } });
  onTestFinished(gateway.close);
  const key = (await readFile(`${gateway.directory}/demo-key`, 'utf8')).trim();
  const query = '{ accounts(first: 2) { nodes { name } } jobPostings(first: 6) { nodes { jobId } } }';
  expect((await graphql(gateway.address, key, query)).data).toEqual({
    accounts: { nodes: [{ name: 'Demo PNET' }, { name: 'Demo PHOTONET' }] },
    jobPostings: { nodes: ['2001', '2002', '2003', '2004', '1001', '1002'].map((jobId) => ({ jobId })) },
  });
});

describe.skipIf(!chromium)('in a browser', () => {
  let gateway: Gateway;
  let key: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({
      environment: { DEMO: 'on', LOG_LEVEL: 'silent' },
    });
    key = (await readFile(`${gateway.directory}/demo-key`, 'utf8')).trim();
    browser = await launcher.launch({
      executablePath: chromium as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });
  beforeEach(async () => {
    await context?.close();
    complaints.length = 0;
    await open();
  });

  async function open(of = key, options = {}): Promise<void> {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    await context.addInitScript((given) => given && sessionStorage.setItem('postern:demo-key', given), of);
    // The networks have their pictures elsewhere.
    await context.route(/\.(?:jpe?g|png)$/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: picture }));
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(String(error)));
    // A refused input is a response with status 400 or 422, which the console has as an error.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
    });
  }

  const goTo = (hash: string) => page.goto(`${gateway.address}/jobs-and-posts#${hash}`);
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (label: string | RegExp) => page.getByLabel(label).locator('visible=true');
  /** What stands beside a field. */
  const said = async (label: string) => {
    const ids = (await field(label).getAttribute('aria-describedby'))?.split(' ') ?? [];
    return (await Promise.all(ids.map((id) => page.locator(`#${id}`).innerText()))).join(' ').trim();
  };
  const pnet = 'pnet-----------------A';
  const questions = (...screeningQuestions: object[]) => ({ screeningQuestions });
  /** As another client does. */
  const edit = (jobId: string, posting: object) =>
    graphql(gateway.address, key, 'mutation($input: EditJobInput!) { editJob(input: $input) { __typename } }', {
      input: { accountId: pnet, jobId, posting },
    });
  const isFocused = (label: string) => field(label).evaluate((element) => element === document.activeElement);

  it('shows every kind of post of pnet, a page at a time', async () => {
    await goTo('posts');
    const posts = page.locator('article.post');
    await expect.poll(() => posts.count()).toBe(20);
    const withText = (text: string) => posts.filter({ hasText: text }).first();
    const image = withText('A picture.').locator('img.picture');
    await image.scrollIntoViewIfNeeded();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
    await withText('A picture that is gone.').getByText('Picture: no longer available').waitFor();
    await withText('A document.')
      .getByRole('link', { name: /^Open Notes/ })
      .waitFor();
    expect(await withText('A poll that is closed.').getByRole('region', { name: 'Poll' }).innerText()).toMatch(
      /Where do you work best\?[\s\S]*At home ✓\s*45 %[\s\S]*312 votes · closed/,
    );
    const repost = withText('Read this, and then read it again.');
    expect(await repost.innerText()).toContain('reposted this');
    expect(await repost.locator('blockquote').innerText()).toContain('Northlight Robotics');
    expect(await withText('made this possible').locator('.words').getByRole('link').allInnerTexts()).toEqual([
      'Amara Lindqvist',
      'Tomás Okafor',
      'Northlight Robotics',
    ]);
    await button('More posts').click();
    await expect.poll(() => posts.count()).toBeGreaterThan(20);
    expect(await posts.nth(20).evaluate((element) => element === document.activeElement)).toBe(true);
    // Text with tags stays text.
    await see('<tags>');
    expect(complaints).toEqual([]);
  });

  it('shows those of photonet when its account is chosen, and the way back works', async () => {
    await goTo('posts');
    await expect.poll(() => page.locator('article.post').count()).toBe(20);
    await field('Account').selectOption({ label: 'Demo PHOTONET (photonet)' });
    await see('@sandbox.gallery');
    await see('A picture with a caption.');
    expect(await page.getByLabel('It is a company').isVisible()).toBe(false);
    await field('Whose posts').fill('sandbox.sixty');
    await button('Show the posts').click();
    await see('@sandbox.sixty');
    await page.goBack();
    await see('@sandbox.gallery');
    expect(await field('Whose posts').inputValue()).toBe('sandbox.gallery');
    expect(complaints).toEqual([]);
  });

  it.each([
    ['pnet-----------------A', 'nobody', 'Whose posts', 'The network has nobody with this id or name.'],
    ['photonet-------------A', 'sandbox.private', 'Whose posts', 'This account cannot see their posts.'],
    ['expired-link---------A', 'ACoSandbox1', 'Account', 'The account is not connected any more. Connect it again.'],
  ])('says at the field why there are no posts: %s, %s', async (account, of, label, text) => {
    await goTo(`posts?${new URLSearchParams({ account, of })}`);
    await see(text);
    expect(await said(label)).toContain(text);
    expect(await isFocused(label)).toBe(true);
  });

  it('says how many posts cannot be shown, and offers to try again when a page fails', async () => {
    await goTo('posts?account=pnet-----------------A&of=ACoSandboxOdd');
    await see('One post could not be shown: The post is from a network that this gateway does not support.');
    await goTo('posts?account=pnet-----------------A&of=ACoSandboxNetworkDown');
    await see('The network does not respond at the moment. Try again.');
    await button('Try again').waitFor();
  });

  it('lists postings by state and title, and shows a change from elsewhere at once', async () => {
    await goTo('jobs');
    await see('30 of 72');
    await see('Live');
    await field('State').selectOption('Active');
    await see('1 of 1');
    await field('State').selectOption('All');
    await field('Title').fill('paused)');
    await see(/^Software Engineer \(paused\)$/);
    await page.locator('a.job', { hasText: '2004 · ' }).click();
    await page.getByRole('heading', { name: 'Software Engineer (paused)' }).waitFor();
    await see('Live');
    await edit('2004', { jobTitle: { text: 'Changed' } });
    await page.getByRole('heading', { name: 'Changed' }).waitFor();
    expect(await field('Title').last().inputValue()).toBe('Changed');
    expect(complaints).toEqual([]);
  });

  it('shows what is wrong at the fields of the form, and saves what has changed', async () => {
    await goTo('jobs?id=2001');
    const form = page.getByRole('region', { name: 'Edit' });
    await form.waitFor();
    await button('Save the changes').click();
    await see('Nothing has changed.');
    await form.getByLabel('Company').fill('');
    await form.getByLabel('Place', { exact: true }).fill('Berlin');
    const salary = form.getByRole('group', { name: 'Salary' });
    await salary.getByLabel('From').fill('9,000');
    await salary.getByLabel('To').fill('1000');
    await salary.getByLabel('Currency').fill('Euro');
    await salary.getByLabel('Paid').selectOption('Monthly');
    await form.getByLabel('Applications').selectOption('On a website');
    await form.getByLabel('Address of the website').fill('jobs');
    await button('Save the changes').click();
    await expect
      .poll(() => form.locator('.problem:not(:empty)').allInnerTexts())
      .toEqual([
        'Enter a company.',
        'Enter the number of a place: digits only.',
        'Enter at least what the pay begins with.',
        'Enter the code of a currency, such as EUR.',
        'Enter a whole address, such as https://company.example/jobs.',
      ]);
    expect(await isFocused('Company')).toBe(true);
    await form.getByLabel('Company').fill('New Works');
    await form.getByLabel('Place', { exact: true }).fill('101165590');
    await salary.getByLabel('To').fill('');
    await button('Save the changes').click();
    await expect
      .poll(() => form.locator('.problem:not(:empty)').allInnerTexts())
      .toEqual([
        'Enter a number.',
        'Enter the code of a currency, such as EUR.',
        'Enter a whole address, such as https://company.example/jobs.',
      ]);
    await salary.getByLabel('To').fill('9500.5');
    await salary.getByLabel('Currency').fill('EUR');
    await form.getByLabel('Address of the website').fill('https://works.example/jobs');
    await button('Save the changes').click();
    await see('The changes are saved.');
    const query = '{ jobPosting(jobId: "2001") { company { text } location salary { min max } applyMethod { url } } }';
    expect((await graphql(gateway.address, key, query)).data?.jobPosting).toEqual({
      company: { text: 'New Works' },
      location: '101165590',
      salary: { min: 9000, max: 9500.5 },
      applyMethod: { url: 'https://works.example/jobs' },
    });
    expect(complaints).toEqual([]);
  });

  const asked = (number: number) => page.getByRole('group', { name: `Question ${number}` });
  const storedQuestions = async (jobId: string) => {
    const fields = 'question position mustMatch choices expectedChoices minExpectation maxExpectation';
    const query = `{ jobPosting(jobId: "${jobId}") { screeningQuestions { ${fields} } } }`;
    return (await graphql(gateway.address, key, query)).data?.jobPosting;
  };

  it('adds questions to applicants by keyboard, and says at their fields what is wrong', async () => {
    await goTo('jobs?id=1002');
    await see('Applicants are asked nothing.');
    await button('Add a question for a number').press('Enter');
    await page.keyboard.type('How many years have you worked?');
    await page.keyboard.press('Tab');
    await page.keyboard.type('5');
    await page.keyboard.press('Tab');
    await page.keyboard.type('60.000');
    await button('Add a question with choices').press('Enter');
    await button('Save the changes').click();
    const problems = page.getByRole('region', { name: 'Edit' }).locator('.problem:not(:empty)');
    await expect
      .poll(() => problems.allInnerTexts())
      .toEqual(['Enter a number, such as 60000 or 60,000.50.', 'Enter a question.', 'Enter a choice.']);
    const highest = asked(1).getByLabel('Highest expected number');
    expect(await highest.evaluate((element) => element === document.activeElement)).toBe(true);
    await highest.fill('2');
    await asked(2).getByLabel('Expected choices').fill('Dutch');
    await button('Save the changes').click();
    await expect
      .poll(() => problems.allInnerTexts())
      .toEqual(['Enter at least the lowest expected number.', 'Enter a question.', 'Enter a choice.']);
    await highest.fill('10');
    await asked(2).getByLabel('Question', { exact: true }).fill('What do you speak?');
    await asked(2).getByLabel('Choices', { exact: true }).fill('English\n\n Swedish ');
    await button('Save the changes').click();
    await expect
      .poll(() => problems.allInnerTexts())
      .toEqual(['Enter only what is among the choices, in the same words.']);
    await asked(2).getByLabel('Expected choices').fill('Swedish');
    await asked(2).getByLabel('An expected answer is required').check();
    const request = page.waitForRequest((each) => each.postData()?.includes('EditOfPage') ?? false);
    await button('Save the changes').click();
    expect(Object.keys((await request).postDataJSON().variables.input.posting)).toEqual(['screeningQuestions']);
    await see('The changes are saved.');
    const none = { choices: null, expectedChoices: null, minExpectation: null, maxExpectation: null };
    expect(await storedQuestions('1002')).toEqual(
      questions(
        {
          ...none,
          question: 'How many years have you worked?',
          position: 1,
          mustMatch: false,
          minExpectation: 5,
          maxExpectation: 10,
        },
        {
          ...none,
          question: 'What do you speak?',
          position: 2,
          mustMatch: true,
          choices: ['English', 'Swedish'],
          expectedChoices: ['Swedish'],
        },
      ),
    );
    expect(complaints).toEqual([]);
  });

  it('creates a draft, says at the fields what is wrong, and opens it to be edited and published', async () => {
    await goTo('jobs');
    await button('New draft').click();
    const form = page.getByRole('region', { name: 'New draft' });
    await form.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('New draft');
    const create = button('Create the draft');
    // The newest comes first.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 1000);
    await create.click();
    await see('Enter a title.');
    const title = form.getByLabel('Title');
    expect(await title.evaluate((element) => element === document.activeElement)).toBe(true);
    await title.fill('Gardener');
    await form.getByLabel('Employment').selectOption('Part time');
    const account = form.getByLabel('Account');
    await account.selectOption('Session expired_link (pnet)');
    await create.click();
    await see('The account is not connected any more. Connect it again.');
    expect(await account.evaluate((element) => element === document.activeElement)).toBe(true);
    await account.selectOption('Session request_timeout (pnet)');
    await create.click();
    await see('The network took too long.');
    await account.selectOption('Demo PNET (pnet)');
    await create.click();
    await see('The draft is created. Add what it lacks, and publish it.');
    await page.getByRole('heading', { name: 'Gardener' }).waitFor();
    await expect.poll(() => page.locator('a.job').first().innerText()).toMatch(/^Gardener\s+Draft/);
    const edited = page.getByRole('region', { name: 'Edit' });
    await edited.getByLabel('Company').fill('Example Gardens');
    await button('Save the changes').click();
    await see('The changes are saved.');
    await button('Publish').click();
    await see('It is published.');
    // It is not created again.
    await page.goBack();
    await see('Choose a posting.');
    const row = page.locator('a.job', { hasText: 'Gardener' });
    await expect.poll(() => row.innerText()).toMatch(/Active[\s\S]*Example Gardens/);
    expect(complaints).toEqual([]);
  });

  it('publishes with a budget, and says at the field that a payment was declined', async () => {
    await goTo('jobs?id=1015');
    await field('Listing').selectOption('Promoted, paid');
    await field('Budget').selectOption('A day');
    await field('Amount').fill('0');
    await button('Publish').click();
    await see('Enter an amount above 0.');
    expect(await isFocused('Amount')).toBe(true);
    await field('Amount').fill('50');
    await field('Currency').first().fill('EUR');
    await button('Publish').click();
    await see('The payment was declined.');
    expect(await said('Listing')).toBe('The payment was declined.');
    await field('Listing').selectOption('Free');
    await button('Publish').click();
    await see('It is published.');
    await expect.poll(() => page.locator('.detail .badge').innerText()).toBe('Active');
    expect(await button('Publish').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  const code = 'Code that the network sent you';

  it('asks for the code of the network: a wrong one, a new one, the right one', async () => {
    await goTo('jobs?id=1007');
    await button('Publish').click();
    await field(code).waitFor();
    expect(await isFocused(code)).toBe(true);
    await see(/^5 attempts left, valid until/);
    await field(code).fill('12');
    await button('Confirm').click();
    await see('The code has 4 to 8 digits.');
    await field(code).fill('111111');
    await page.keyboard.press('Enter');
    await see('This is not the code, or it has expired.');
    await see(/^4 attempts left/);
    // It is there after a reload, too.
    await page.reload();
    await see(/^4 attempts left/);
    await button('Publish again').click();
    await button('Publish').click();
    await see(/^5 attempts left/);
    await button('Send a new one').click();
    await see(/^A new one is on its way: 5 attempts left/);
    await field(code).fill('000410');
    await button('Confirm').click();
    await see('The code has expired. Publish again to get a new one.');
    await button('Publish').click();
    await field(code).fill('123456');
    await button('Confirm').click();
    await see('It is published.');
    expect(complaints).toEqual([]);
  });

  /** Publishes a draft of which the network asks for an e-mail's token, and then for a code. */
  async function goToCode(): Promise<void> {
    await goTo('jobs?id=1010');
    await button('Publish').click();
    await field('Token of the link that the network sent you by e-mail').fill('sandbox-email-token');
    await button('Confirm').click();
  }

  it('asks for one thing after the other, and to publish again after too many wrong codes', async () => {
    await goToCode();
    for (let attempt = 4; attempt > 0; attempt -= 1) {
      await field(code).fill('111111');
      await button('Confirm').click();
      await see(new RegExp(`^${attempt} attempt`));
    }
    await field(code).fill('111111');
    await button('Confirm').click();
    await see('The code cannot be entered any more. Publish again to get a new one.');
    expect(await isFocused('Listing')).toBe(true);
    expect(complaints).toEqual([]);
  });

  const body = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  /** Answers each question of the browser, and has them all. */
  const answer = (isYes: boolean) => {
    const questions: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      questions.push(dialog.type() === 'beforeunload' ? 'beforeunload' : dialog.message());
      return isYes ? dialog.accept() : dialog.dismiss();
    });
    return questions;
  };
  const unsaved = 'Your changes are not saved. Leave without them?';

  it('asks before what is typed is lost: another posting, the way back, a reload', async () => {
    await goTo('jobs');
    await page.locator('a.job', { hasText: '1004 · ' }).click();
    const description = page.getByRole('region', { name: 'Edit' }).getByLabel('Description');
    await description.fill('Typed here');
    const no = answer(false);
    await page.locator('a.job', { hasText: '1005 · ' }).click();
    await expect.poll(() => page.url()).toMatch(/id=1004$/);
    await page.goBack();
    await expect.poll(() => no).toEqual([unsaved, unsaved]);
    await expect.poll(() => page.url()).toMatch(/id=1004$/);
    await page.evaluate(() => location.reload()).catch(() => {});
    await expect.poll(() => no.at(-1)).toBe('beforeunload');
    expect(await description.inputValue()).toBe('Typed here');
    const yes = answer(true);
    await page.goBack();
    await see('Choose a posting.');
    expect(yes).toEqual([unsaved]);
    // It is asked once, and nothing is kept.
    await page.goForward();
    await expect.poll(() => description.inputValue()).not.toBe('Typed here');
    await button('New draft').click();
    const draft = page.getByRole('region', { name: 'New draft' });
    await draft.waitFor();
    await page.goBack();
    await description.waitFor();
    expect(yes).toEqual([unsaved]);
    await page.goForward();
    await draft.getByLabel('Title').fill('Typed, too');
    await page.goBack();
    await description.waitFor();
    expect(yes).toEqual([unsaved, unsaved]);
    expect(complaints).toEqual([]);
  });

  it('does not publish a draft around what is typed, and saves it first', async () => {
    await goTo('jobs?id=1006');
    const company = page.getByRole('region', { name: 'Edit' }).getByLabel('Company');
    await company.fill('Typed Works');
    await button('Publish').click();
    await see('Not published: your changes below are not saved.');
    expect(await page.locator('.detail .badge').innerText()).toBe('Draft');
    await button('Save them first').click();
    await see('The changes are saved. You can go on.');
    expect(await body()).toBe('Publish');
    await page.keyboard.press('Enter');
    await see('It is published.');
    await expect.poll(body).toMatch(/^Software Engineer|^Draft/);
    await expect.poll(() => page.locator('.detail .badge').innerText()).toBe('Active');
    expect(await company.inputValue()).toBe('Typed Works');
    expect(await page.getByText('changed elsewhere').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('keeps what is typed when the posting changes elsewhere', async () => {
    await goTo('jobs?id=2002');
    await see('Live');
    await page.getByRole('region', { name: 'Edit' }).getByLabel('Description').fill('Typed here');
    await edit('2002', { company: { text: 'Elsewhere' } });
    const said = page.getByText('The posting has changed elsewhere. What you save replaces that.');
    await said.waitFor();
    expect(await said.getAttribute('class')).toBe('notice warn');
    expect(await field('Description').inputValue()).toBe('Typed here');
  });

  it('shows a key that may only read no buttons, and asks for another when a key is refused', async () => {
    const { newKey, account } = await gateway.workspace();
    await account({ name: 'Mine' });
    await context.close();
    await open(await newKey({ scopes: ['accounts:read', 'jobs:read', 'posts:read'] }));
    await goTo('jobs');
    await see('There are no such postings.');
    await context.close();
    await open('wrong');
    await goTo('jobs');
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
    await field('API key').fill(key);
    await page.keyboard.press('Enter');
    await see(/^30 of \d+$/);
    await page.getByRole('banner').getByRole('button', { name: 'Demo key' }).click();
    expect(await page.locator('#bar-whose').innerText()).toMatch(/Workspace\s+Demo\s+Key\s+Demo key\s+Accounts\s+all/);
    await button('Forget the key').click();
    await field('API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'conforms to WCAG 2.2 A and AA, and does not scroll sideways (%s)',
    async (colorScheme) => {
      await context.close();
      await open(key, { colorScheme, bypassCSP: true });
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const numeric = { question: 'How many years?', minExpectation: 3 };
      const multipleChoices = { question: 'Which?', choices: ['This', 'That'], expectedChoices: ['That'] };
      await edit('1012', questions({ numeric }, { multipleChoices }));
      for (const [width, hash, text] of [
        [1280, 'posts', 'A picture.'],
        [360, 'posts', 'A picture.'],
        [1280, 'jobs?id=1012', 'Save the changes'],
        [360, 'jobs?id=1012', 'Save the changes'],
        [360, 'jobs', '30 of'],
        [1280, 'jobs?new', 'Create the draft'],
        [360, 'jobs?new', 'Create the draft'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await goTo(hash);
        await see(text);
        await page.evaluate(axe);
        const { violations, passes } = await page.evaluate(
          async (): Promise<AxeResults> =>
            (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
              runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
            }),
        );
        expect(passes.length).toBeGreaterThan(10);
        expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${hash} ${id}: ${html}`))).toEqual([]);
        expect(await page.evaluate(lowContrast), hash).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), hash).toBeLessThanOrEqual(width);
      }
    },
  );
});
