namespace QuickSilver.Cli.Recordings;

/// <summary>How the reading of a recording has ended.</summary>
internal enum RecordingEnd
{
    /// <summary>It has not.</summary>
    None,

    /// <summary>The recorder ended in order: the recording is whole.</summary>
    Whole,

    /// <summary>The recording stops between two records, without its end: the recorder was killed.</summary>
    WithoutEnd,

    /// <summary>The recording stops within a record.</summary>
    CutShort,

    /// <summary>A record is damaged. What comes after it is not read.</summary>
    Damaged,
}
