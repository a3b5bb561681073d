using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>What one member has reported of a ring that has ended.</summary>
internal sealed class HeldReport
{
    private readonly byte[] _map;
    private readonly byte[] _survivors;

    /// <summary>Keeps a report.</summary>
    /// <param name="body">The report.</param>
    /// <param name="before">The member's report before it, if it was complete; it takes nothing back.</param>
    public HeldReport(in OrderedReportBody body, HeldReport? before)
    {
        IsComplete = body.IsComplete || before is { IsComplete: true };
        IsConcluded = body.IsConcluded;
        IsAbsent = body.IsAbsent;
        if (IsAbsent) IsComplete = true;
        UpTo = body.UpTo;
        Stable = body.Stable;
        Highest = body.UpTo + (ulong)body.Further;
        _map = body.Map.ToArray();
        _survivors = body.Survivors.ToArray();
    }

    /// <summary>The member holds all that is wanted.</summary>
    public bool IsComplete { get; }

    /// <summary>The member has delivered the ring.</summary>
    public bool IsConcluded { get; }

    /// <summary>The member was never in the ring.</summary>
    public bool IsAbsent { get; }

    /// <summary>It holds all packets up to this.</summary>
    public ulong UpTo { get; }

    /// <summary>All members of the ring hold the packets up to this, as the member says.</summary>
    public ulong Stable { get; }

    /// <summary>It holds nothing above this.</summary>
    public ulong Highest { get; }

    /// <summary>True when the member holds a packet.</summary>
    public bool Has(ulong sequence)
    {
        if (sequence <= UpTo) return true;
        if (sequence > Highest) return false;
        int bit = (int)(sequence - UpTo - 1);
        return (_map[bit / 8] >> (bit % 8) & 1) != 0;
    }

    /// <summary>True when another member goes on with this one, as this one says.</summary>
    public bool GoesOn(int index) => index / 8 < _survivors.Length && (_survivors[index / 8] >> (index % 8) & 1) != 0;
}
