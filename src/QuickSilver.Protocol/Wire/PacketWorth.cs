namespace QuickSilver.Protocol.Wire;

/// <summary>
/// What a packet of a timed group is worth, in two bits. Each packet names the worth of the eight before it, so that
/// who lacks one knows how long to ask, and whether to wait for a newer message with its key.
/// </summary>
internal static class PacketWorth
{
    /// <summary>Worth of a keyed packet that is not of high importance: a newer one may replace it.</summary>
    public const int Replaceable = 3;

    /// <summary>How many packets are remembered.</summary>
    public const int Remembered = 8;

    /// <summary>The worth of a packet.</summary>
    public static int Of(byte importance, bool isKeyed) =>
        isKeyed && importance != Importance.High ? Replaceable : importance;

    /// <summary>The worths once a packet has followed.</summary>
    public static ushort Push(ushort before, int worth) => (ushort)((before << 2) | worth);

    /// <summary>
    /// The worth of the packet that is <paramref name="distance"/> before, from 1; 0 beyond the eighth.
    /// </summary>
    public static int At(ushort before, ulong distance) =>
        distance is >= 1 and <= Remembered ? (before >> (2 * ((int)distance - 1))) & 3 : 0;
}
