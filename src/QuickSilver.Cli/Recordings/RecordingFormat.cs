namespace QuickSilver.Cli.Recordings;

/// <summary>
/// The bytes of a recording, as docs/recordings.md describes them. Numbers are little-endian. A file is a header and
/// records. Each is protected by a CRC-32C, and none refers to what comes later. So what stands before a cut or a
/// damaged place can be read.
/// </summary>
internal static class RecordingFormat
{
    /// <summary>The version of this format.</summary>
    public const int Version = 1;

    /// <summary>Bytes of the magic, the version and the length of the header's body.</summary>
    public const int HeaderStart = 12;

    /// <summary>The longest body of a header: two names, with room for fields of later versions.</summary>
    public const int LongestHeader = 4096;

    /// <summary>Bytes of a checksum.</summary>
    public const int Checksum = 4;

    /// <summary>Bytes of a record's length and checksum.</summary>
    public const int RecordStart = 8;

    /// <summary>The longest body of a record: the longest message that a node can send, and its fields.</summary>
    public const int LongestRecord = (16 << 20) + 256;

    /// <summary>The longest text of a name or an id, in bytes.</summary>
    public const int LongestText = 255;

    /// <summary>Bytes of a message's record before its payload: kind, time, sender, sequence.</summary>
    public const int MessageStart = 1 + 8 + 4 + 8;

    /// <summary>How a recording begins. The first byte is no ASCII; a transfer as text breaks the last ones.</summary>
    public static ReadOnlySpan<byte> Magic => [0x89, (byte)'Q', (byte)'S', (byte)'R', 0x0D, 0x0A, 0x1A, 0x0A];
}
