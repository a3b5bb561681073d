using System.Buffers.Binary;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The layout of a segment: a node's memory that the other nodes of its machine read in place. Constant fields are
/// little-endian; changing fields have the byte order of the machine, which all readers share.
/// <code>
/// off    len field
///   0     8 magic            "QSSEGMNT"
///   8     4 version          1
///  12     4 block bytes      65,536
///  16     4 blocks
///  20     4 owner            the process of the owner
///  24     8 key              random; the segment's name has it too
///  32     8 owner's start    the start of that process, in the kernel's ticks since boot
///  40     8 namespace        in which process numbers and start times are unique
///  64     4 closed           1: the owner has closed the segment
///  68     4 reader changes   rises when a reader attaches, leaves, or changes its key
///  72     4 touched          blocks from the first that have ever been used
///  76     4 wish             1: a reader found no place free
/// 128 4,096 places           64 of 64 bytes, one a reader; its number is the reader's bit
///           0  4 state       0 free, 1 claimed, 2 reading
///           4  4 process     with the state one word, so that no place is without a process while it is claimed
///           8  8 start       when the process started; 0: not yet written
///          16  8 node        the key of the reader's number
/// 4,224     lines            64 bytes a block, so that blocks do not share a line of the processor's cache
///           0  4 generation  how often the block has been used before
///           8  8 holders     a bit for each reader that holds the block
/// then      blocks           from the next multiple of 65,536, a page on every machine
/// </code>
/// </summary>
internal static class SegmentLayout
{
    /// <summary>Bytes of a block: an ordinary chunk.</summary>
    public const int BlockBytes = BufferPool.ChunkBytes;

    /// <summary>The limit of readers of a segment: the bits of a word.</summary>
    public const int Readers = 64;

    /// <summary>The limit of blocks of a segment, for a reader that opens one: 1 GiB.</summary>
    public const int MaxBlocks = 1 << 14;

    /// <summary>Bytes of the fixed part of the header.</summary>
    public const int HeaderBytes = 48;

    /// <summary>Offset of the mark of a closed segment.</summary>
    public const int ClosedOffset = 64;

    /// <summary>Offset of the counter of reader changes.</summary>
    public const int ReaderChangesOffset = 68;

    /// <summary>Offset of the number of blocks ever used.</summary>
    public const int TouchedOffset = 72;

    /// <summary>Offset of the wish for a place.</summary>
    public const int WishOffset = 76;

    /// <summary>Offset of the first reader's place.</summary>
    public const int PlacesOffset = 128;

    /// <summary>Bytes of a reader's place, and of a block's line.</summary>
    public const int LineBytes = 64;

    /// <summary>Offset of a reader's process's start in its place.</summary>
    public const int StartOffset = 8;

    /// <summary>Offset of a reader's key in its place.</summary>
    public const int NodeOffset = 16;

    /// <summary>Offset of the first block's line.</summary>
    public const int LinesOffset = PlacesOffset + (Readers * LineBytes);

    /// <summary>Offset of the readers' bits in a block's line.</summary>
    public const int HoldersOffset = 8;

    private const ulong Magic = 0x544E_4D47_4553_5351;
    private const uint Version = 1;
    private const int VersionOffset = 8;
    private const int BlockBytesOffset = 12;
    private const int BlocksOffset = 16;
    private const int OwnerOffset = 20;
    private const int KeyOffset = 24;
    private const int OwnerStartOffset = 32;
    private const int NamespaceOffset = 40;

    /// <summary>Bytes before the first block.</summary>
    public static int ControlBytes(int blocks) =>
        (LinesOffset + (blocks * LineBytes) + BlockBytes - 1) / BlockBytes * BlockBytes;

    /// <summary>Bytes of the whole segment.</summary>
    public static long TotalBytes(int blocks) => ControlBytes(blocks) + ((long)blocks * BlockBytes);

    /// <summary>Writes the constant fields.</summary>
    /// <param name="header">The segment's first bytes.</param>
    /// <param name="key">The segment's key.</param>
    /// <param name="owner">The process of the owner.</param>
    /// <param name="space">The namespace of the process number.</param>
    /// <param name="blocks">The number of blocks.</param>
    public static void WriteHeader(Span<byte> header, ulong key, ProcessMark owner, ulong space, int blocks)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt32LittleEndian(header[VersionOffset..], Version);
        BinaryPrimitives.WriteInt32LittleEndian(header[BlockBytesOffset..], BlockBytes);
        BinaryPrimitives.WriteInt32LittleEndian(header[BlocksOffset..], blocks);
        BinaryPrimitives.WriteUInt32LittleEndian(header[OwnerOffset..], owner.Process);
        BinaryPrimitives.WriteUInt64LittleEndian(header[KeyOffset..], key);
        BinaryPrimitives.WriteUInt64LittleEndian(header[OwnerStartOffset..], owner.Start);
        BinaryPrimitives.WriteUInt64LittleEndian(header[NamespaceOffset..], space);
    }

    /// <summary>Reads the constant fields, and checks them against a name.</summary>
    /// <param name="header">The first bytes found.</param>
    /// <param name="length">The total number of bytes found.</param>
    /// <param name="name">The expected name.</param>
    /// <param name="space">The namespace of the reader's process numbers.</param>
    /// <param name="owner">The process of the owner.</param>
    /// <param name="blocks">The number of blocks.</param>
    /// <returns>False when the fields are invalid, or do not match.</returns>
    public static bool TryReadHeader(
        ReadOnlySpan<byte> header, long length, in SegmentName name, ulong space, out ProcessMark owner, out int blocks)
    {
        owner = default;
        blocks = 0;
        if (header.Length < HeaderBytes) return false;
        blocks = BinaryPrimitives.ReadInt32LittleEndian(header[BlocksOffset..]);
        owner = new ProcessMark(
            BinaryPrimitives.ReadUInt32LittleEndian(header[OwnerOffset..]),
            BinaryPrimitives.ReadUInt64LittleEndian(header[OwnerStartOffset..]));
        return BinaryPrimitives.ReadUInt64LittleEndian(header) == Magic
            && BinaryPrimitives.ReadUInt32LittleEndian(header[VersionOffset..]) == Version
            && BinaryPrimitives.ReadInt32LittleEndian(header[BlockBytesOffset..]) == BlockBytes
            && BinaryPrimitives.ReadUInt64LittleEndian(header[KeyOffset..]) == name.Key
            && BinaryPrimitives.ReadUInt64LittleEndian(header[NamespaceOffset..]) == space
            && owner.Process == name.Process
            && blocks is > 0 and <= MaxBlocks
            && length == TotalBytes(blocks);
    }
}
