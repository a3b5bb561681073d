using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Repairs;

/// <summary>
/// The datagram lengths that are tried when long datagrams do not arrive: those that fit common MTUs, less the headers
/// of IP and UDP and the encryption reserve.
/// </summary>
internal static class PathLadder
{
    /// <summary>
    /// The shortest length tried: it fits an MTU of 576 bytes, the least that IP hosts must accept. A node that it does
    /// not reach is cut off.
    /// </summary>
    public const int Floor = 576 - Headers;

    /// <summary>Fits nearly every tunnel: an MTU of 1,280 bytes.</summary>
    public const int Safe = 1280 - Headers;

    /// <summary>The longest that network cards carry: longer datagrams stay within a machine.</summary>
    public const int LongestOnWire = 9216 - Headers;

    private const int Headers = 28 + DatagramHeader.EncryptionReserve;

    private static readonly int[] Lengths =
        [9000 - Headers, 4464 - Headers, 1500 - Headers, 1400 - Headers, Safe, 1000 - Headers, Floor];

    /// <summary>
    /// Lists the lengths that a node tries: its own longest datagram first, then all shorter ones of the ladder.
    /// </summary>
    /// <param name="longest">The longest datagram that the node sends.</param>
    /// <param name="lengths">Destination, of <see cref="PathAnswerBody.MaxFillers"/> entries.</param>
    /// <returns>The number of lengths.</returns>
    public static int CopyTo(int longest, Span<int> lengths)
    {
        int count = 0;
        lengths[count++] = longest;
        foreach (int length in Lengths)
        {
            if (length < longest) lengths[count++] = length;
        }
        return count;
    }

    /// <summary>The next shorter length, or the floor.</summary>
    public static int Below(int length)
    {
        foreach (int shorter in Lengths)
        {
            if (shorter < length) return shorter;
        }
        return Floor;
    }
}
