/** The nine fields of a video entry, in the order of the specification (2.2). */
export const specifiedFields =
  'videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index'.split(' ');

/** The fields of a search and of a feed that a deployment is documented to send: the first columns of csv. */
export const searchFields =
  'type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails'.split(
    ' ',
  );
export const latestFields =
  'videoId title channelId author published updated link description thumbnail viewCount starRating'.split(
    ' ',
  );
