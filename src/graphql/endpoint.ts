/** The path of the endpoint. */
export const endpoint = '/graphql';
