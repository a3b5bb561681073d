namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What a site has of the entries of another in the present view, and what that one has of all.</summary>
internal sealed class PeerStream(int sites)
{
    private readonly ulong[] _told = new ulong[sites];

    /// <summary>The last entry that has come.</summary>
    public ulong Have { get; set; }

    /// <summary>All its later entries have higher stamps.</summary>
    public ulong Passed { get; set; }

    /// <summary>Entries that some third site may lack, should the peer be cut off.</summary>
    public KeptEntries Kept { get; } = new();

    /// <summary>The last entry of a site that it has told to have.</summary>
    public ulong Told(int site) => _told[site];

    /// <summary>It tells what it has.</summary>
    /// <returns>True when something is new.</returns>
    public bool OnTold(IReadOnlyList<ulong> have)
    {
        bool isNew = false;
        for (int site = 0; site < _told.Length; site++)
        {
            if (have[site] <= _told[site]) continue;
            _told[site] = have[site];
            isNew = true;
        }
        return isNew;
    }

    /// <summary>Takes its next entry.</summary>
    public void Take(OrderedEntry entry)
    {
        Have = entry.Number;
        Passed = Math.Max(Passed, entry.Stamp);
        Kept.Add(entry);
    }

    /// <summary>Another view begins.</summary>
    /// <param name="after">Its entries have higher stamps.</param>
    public void BeginAnew(ulong after)
    {
        (Have, Passed) = (0, after);
        Array.Clear(_told);
        Kept.Clear();
    }
}
