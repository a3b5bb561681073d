using System.Diagnostics;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The open packets of a link's sending end, by link number: a ring that doubles up to its limit. A packet stays until
/// the cumulative number passes it.
/// </summary>
internal sealed class OpenTable(int limit)
{
    private const int FirstCapacity = 64;

    private OpenPacket[] _packets = new OpenPacket[Math.Min(FirstCapacity, limit)];

    /// <summary>All numbers up to it are acknowledged.</summary>
    public ulong Cumulative { get; private set; }

    /// <summary>The highest number that was sent.</summary>
    public ulong Highest { get; private set; }

    /// <summary>How many are open.</summary>
    public int Count => (int)(Highest - Cumulative);

    /// <summary>An open packet, in place.</summary>
    public ref OpenPacket this[ulong number]
    {
        get
        {
            Debug.Assert(number > Cumulative && number <= Highest, "only open packets are there");
            return ref _packets[number & (ulong)(_packets.Length - 1)];
        }
    }

    /// <summary>Adds a packet under the next number.</summary>
    public ref OpenPacket Add(LinkItem item)
    {
        Debug.Assert(Count < limit, "the table is bounded");
        if (Count == _packets.Length) Grow();
        Highest++;
        ref OpenPacket packet = ref this[Highest];
        packet = new OpenPacket { Item = item };
        return ref packet;
    }

    /// <summary>Takes the lowest packet out.</summary>
    public void RemoveFirst()
    {
        Debug.Assert(Count > 0, "an empty table has no first packet");
        this[Cumulative + 1] = default;
        Cumulative++;
    }

    /// <summary>Begins again: numbers start at 1.</summary>
    public void Clear()
    {
        while (Count > 0) RemoveFirst();
        Cumulative = Highest = 0;
    }

    private void Grow()
    {
        var packets = new OpenPacket[_packets.Length * 2];
        for (ulong number = Cumulative + 1; number <= Highest; number++)
            packets[number & (ulong)(packets.Length - 1)] = this[number];
        _packets = packets;
    }
}
