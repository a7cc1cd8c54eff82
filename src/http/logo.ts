/** A postern is a small gate in a wall. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#5b3fd6"/><path d="M9 26V15a7 7 0 0 1 14 0v11z" fill="#fff"/><circle cx="19.5" cy="19.5" r="1.6" fill="#5b3fd6"/></svg>';
