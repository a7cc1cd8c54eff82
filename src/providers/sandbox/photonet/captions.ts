export const captions = [
  'First light over the harbour. Worth the alarm. 🌅',
  'Nobody told me that the ferry has the best coffee in town.',
  'Day three of the trip, and the map is already wrong.',
  'Found this door. Waited for the light. Missed the bus.',
  'Market day 🍅🍋🫒',
  'The studio before everyone arrives.',
  'New work on the wall. Opening on Friday, come by!',
  'Rain again, so we baked.\n\n#sourdough #sunday',
  'Same tree, fourth autumn. 🍂',
  'Behind the scenes of the new film, with the best crew.',
  'He said that it would be an easy hike.',
  'Blue hour, no filter, cold hands.',
  'A year ago this was an empty room. Thank you all. 🙏',
  'Small things: steam, a window, a good book.',
] as const;

export const scenes = [
  'a harbour, boats and the sky at sunrise',
  'two people who sit at a table with coffee cups',
  'a mountain path and a person with a backpack',
  'a wooden door in a painted wall',
  'tomatoes, lemons and a hand',
  'a bright room with a large window',
  'a dog that runs on a beach',
  'a street at night with wet stones',
] as const;

/** Name, latitude and longitude. */
export const places = [
  ['Lisbon, Portugal', 38.7223, -9.1393],
  ['Tallinn, Estonia', 59.437, 24.7536],
  ['Nairobi, Kenya', -1.2864, 36.8172],
  ['Montréal, Québec', 45.5019, -73.5674],
  ['Kraków, Poland', 50.0647, 19.945],
  ['Osaka, Japan', 34.6937, 135.5023],
  ['Bogotá, Colombia', 4.711, -74.0721],
  ['Wellington, New Zealand', -41.2866, 174.7756],
] as const;
