namespace QuickSilver.Cli.Recordings;

/// <summary>What a piece is of its long message.</summary>
internal enum LongPart : byte
{
    /// <summary>More pieces follow.</summary>
    More = 0,

    /// <summary>The last one: the message is whole.</summary>
    Last = 1,

    /// <summary>The message ends without having been whole: its sender gave it up or failed, or the recorder was too
    /// slow or ended.</summary>
    GivenUp = 2,
}
