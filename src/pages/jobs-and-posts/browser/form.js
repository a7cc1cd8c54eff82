/** Forms from tables of fields: what they send, and what is wrong beside each. */
import { h } from './elements.js';
import { failureOf, issueText } from './failures.js';
import { createGroup, keyOf } from './form-group.js';

/**
 * @param {(import('./form-group.js').Group | import('./form-group.js').List)[]} groups
 * @param {object} source of the values
 */
export function createForm(groups, source) {
  const made = groups.map((group) => createGroup(group, source));
  const allFields = () => made.flatMap((group) => group.fields());
  const applying = () => allFields().filter(({ element }) => !element.hidden);
  const changedKeys = () => new Set(made.flatMap((group) => group.changedKeys()));

  const valuesOf = (fields) => Object.fromEntries(fields.map(({ path, value }) => [path, value()]));
  /** The values of the fields beside one, by their last names. */
  const siblingOf = ({ path }, values) => {
    const names = path.split('.').slice(0, -1);
    return (name) => values[[...names, name].join('.')] ?? '';
  };

  function arrange() {
    const fields = allFields();
    const values = valuesOf(fields);
    for (const field of fields) {
      field.element.hidden = field.when !== undefined && !field.when(values);
      field.mark(siblingOf(field, values));
    }
  }

  function inputOf(isWanted) {
    const input = {};
    for (const group of made) group.addTo(input, isWanted);
    return input;
  }

  arrange();
  const element = h('div.form', { oninput: arrange }, ...made.map((group) => group.element));
  const form = {
    element,
    isChanged: () => changedKeys().size > 0,
    all: () => inputOf(() => true),
    /** What has changed: an object or a list as a whole, as the API replaces it. */
    changed() {
      const keys = changedKeys();
      return inputOf((key) => keys.has(key));
    },
    /**
     * What the page knows to be wrong.
     * @param {{ ofChanged?: boolean }} [options] whether only what has changed is sent
     */
    issues({ ofChanged = false } = {}) {
      const keys = changedKeys();
      const values = valuesOf(allFields());
      return applying()
        .filter((field) => !ofChanged || keys.has(keyOf(field)))
        .map((field) => ({ path: [field.path], limit: null, ...field.issue(siblingOf(field, values)) }))
        .filter(({ code }) => code !== undefined);
    },
    /**
     * Shows issues at their fields, and moves the focus to the first.
     * @param {{ path: string[] }[]} issues
     * @returns {string[]} texts of those of no field
     */
    showIssues(issues) {
      for (const field of allFields()) field.say(null);
      const others = [];
      for (const issue of issues) {
        // The fields of a posting stand below this name.
        const path = issue.path.join('.').replace(/^posting\./, '');
        const isOf = (field) => path === field.path || path.startsWith(`${field.path}.`);
        // One of an object stands at its first field.
        const field =
          applying().find(isOf) ?? applying().find((each) => each.path.replace('$', '').startsWith(`${path}.`));
        if (field === undefined) others.push(issueText(issue));
        else field.say(issueText(issue, field.words));
      }
      element.querySelector('[aria-invalid]')?.focus();
      return others;
    },
    /** @returns {boolean} whether there is such a field */
    showFailure(path, text) {
      const field = applying().find((each) => each.path === path);
      field?.say(text);
      field?.input.focus();
      return field !== undefined;
    },
    /**
     * Shows why it was refused.
     * @param {import('./gateway.js').GatewayError} error
     * @returns {string} what is of none of its fields
     */
    showError(error) {
      if (error.issues?.length > 0) return form.showIssues(error.issues).join(' ');
      const { at, text } = failureOf(error);
      return at !== null && form.showFailure(at, text) ? '' : text;
    },
  };
  return form;
}

/**
 * Sends the forms of a place, one at a time.
 * @param {Element} place it is busy meanwhile
 * @param {Element} problem where what is of no field is said
 * @returns {(form: object, work: () => Promise<void>, issues?: object[]) => Promise<void>} `issues`: what the page knows to be wrong,
 *   with which nothing is sent; `work` throws why the form was refused
 */
export function sender(place, problem) {
  let isBusy = false;
  return async (form, work, issues = form.issues()) => {
    if (isBusy) return;
    problem.textContent = '';
    form.showIssues(issues);
    if (issues.length > 0) return;
    isBusy = true;
    place.setAttribute('aria-busy', 'true');
    try {
      await work();
    } catch (error) {
      problem.textContent = form.showError(error);
    } finally {
      isBusy = false;
      place.removeAttribute('aria-busy');
    }
  };
}
