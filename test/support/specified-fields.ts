/** The nine fields of a video entry, in the order of the specification (2.2). */
export const specifiedFields = [
  'videoId',
  'title',
  'channelId',
  'channelTitle',
  'channelHandle',
  'lengthText',
  'viewCountText',
  'thumbnails',
  'index',
];
