namespace QuickSilver.Cli.Recordings;

/// <summary>What a record holds; its first byte.</summary>
internal enum RecordKind : byte
{
    /// <summary>A message.</summary>
    Message = 1,

    /// <summary>A sender, with the number by which messages name it.</summary>
    Sender = 2,

    /// <summary>Messages that did not arrive at the recorder.</summary>
    Loss = 3,

    /// <summary>The orderly end of the recording.</summary>
    End = 4,

    /// <summary>A piece of a long message.</summary>
    Long = 5,
}
