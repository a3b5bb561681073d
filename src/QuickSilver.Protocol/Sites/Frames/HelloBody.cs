using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// Body of a <see cref="LinkKind.Hello"/>: who speaks, and by which configuration.
/// <code>
/// configuration  8 bytes  hash of the sites and links, equal at both ends
/// site           1 byte   index of the sender's site
/// node           8 bytes  key of the sender's node; never 0
/// window         varint   packets beyond the cumulative number that it takes
/// number         varint   counts the hellos of its epoch, from 1
/// echo           varint   number of the last hello that came; 0: none
/// [held]         varint   time since it came, in microseconds; only behind an echo
/// [rebuilt]      varint   packets that were lost, were rebuilt from parity and not asked for, in this epoch; absent: 0
/// </code>
/// The last field is only for ends that send parity: those of earlier versions do not, and take no such hello.
/// </summary>
/// <param name="Configuration">Hash of the configuration.</param>
/// <param name="Site">Index of the sender's site.</param>
/// <param name="Node">Key of the sender's node.</param>
/// <param name="Window">How many packets beyond the cumulative number it takes.</param>
/// <param name="Number">Which hello it is.</param>
/// <param name="Echo">The last hello that came.</param>
/// <param name="Held">Time since it came.</param>
internal readonly record struct HelloBody(
    ulong Configuration, int Site, ulong Node, int Window, ulong Number, ulong Echo, TimeSpan Held)
{
    /// <summary>The longest body.</summary>
    public const int MaxLength = 8 + 1 + 8 + 5 + 10 + 10 + 10 + 10;

    /// <summary>The widest window that is believed.</summary>
    public const int WidestWindow = 1 << 20;

    /// <summary>Packets that were lost, were rebuilt from parity and not asked for.</summary>
    public ulong Rebuilt { get; init; }

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteUInt64(Configuration);
        writer.WriteByte((byte)Site);
        writer.WriteUInt64(Node);
        writer.WriteVarint((ulong)Window);
        writer.WriteVarint(Number);
        writer.WriteVarint(Echo);
        if (Echo > 0) WireTime.Write(ref writer, Held);
        if (Rebuilt > 0) writer.WriteVarint(Rebuilt);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out HelloBody hello)
    {
        var reader = new WireReader(body);
        ulong configuration = reader.ReadUInt64();
        int site = reader.ReadByte();
        ulong node = reader.ReadUInt64();
        int window = (int)reader.ReadVarint(WidestWindow);
        ulong number = reader.ReadVarint();
        ulong echo = reader.ReadVarint();
        TimeSpan held = echo > 0 ? WireTime.Read(ref reader) : default;
        bool hasRebuilt = reader.Remaining > 0;
        ulong rebuilt = hasRebuilt ? reader.ReadVarint() : 0;
        hello = new HelloBody(configuration, site, node, window, number, echo, held) { Rebuilt = rebuilt };
        if (hasRebuilt && rebuilt == 0) return false;
        return reader.IsAtEnd && site < SiteSet.MostSites && node != 0 && window > 0 && number > 0;
    }
}
