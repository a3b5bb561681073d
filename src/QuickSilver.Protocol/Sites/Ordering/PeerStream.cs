namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What a site has of the entries of another, and what that one says of the streams of all.</summary>
internal sealed class PeerStream(int sites)
{
    private readonly StreamReport[] _told = new StreamReport[sites];

    /// <summary>The life of its order that entries are taken of; 0: none yet.</summary>
    public ulong Incarnation { get; set; }

    /// <summary>The last entry of that life that has come.</summary>
    public ulong Have { get; set; }

    /// <summary>Entries up to it are not here, and not needed: this site began behind them.</summary>
    public ulong Base { get; set; }

    /// <summary>All its later entries have higher stamps.</summary>
    public ulong Passed { get; set; }

    /// <summary>A newer life that waits until all sites have the same of the present one; 0: none.</summary>
    public ulong Next { get; set; }

    /// <summary>The life before; 0: none.</summary>
    public ulong Before { get; set; }

    /// <summary>The last entry of that life.</summary>
    public ulong HadBefore { get; set; }

    /// <summary>The life in which it has told what it has.</summary>
    public ulong ToldIn { get; set; }

    /// <summary>Entries that some third site may lack, should the peer's life end.</summary>
    public KeptEntries Kept { get; } = new();

    /// <summary>What this site reports of it.</summary>
    public StreamReport Report => new(Incarnation, Have, Next, Before, HadBefore);

    /// <summary>What it says of a site's stream.</summary>
    public ref StreamReport Told(int site) => ref _told[site];

    /// <summary>Takes entries of a life from now on: what was before is not needed here.</summary>
    public void Open(ulong incarnation, ulong have, ulong passed)
    {
        (Incarnation, Have, Base, Passed) = (incarnation, have, have, passed);
        (Next, Before, HadBefore) = (0, 0, 0);
        Kept.Clear();
        Kept.Release(have);
    }

    /// <summary>Takes what it says.</summary>
    public void Take(ulong incarnation, IReadOnlyList<StreamReport> reports)
    {
        if (incarnation < ToldIn) return;
        bool isNew = incarnation > ToldIn;
        ToldIn = incarnation;
        for (int site = 0; site < _told.Length; site++)
        {
            if (isNew || !_told[site].Covers(reports[site])) _told[site] = reports[site];
        }
    }

    /// <summary>Takes its next entry.</summary>
    public void Take(OrderedEntry entry)
    {
        Have = entry.Number;
        Passed = entry.Stamp;
        Kept.Add(entry);
    }

    /// <summary>Its life ends, and the newer one begins: all sites have the same of it.</summary>
    public void Switch()
    {
        (Before, HadBefore) = (Incarnation, Have);
        (Incarnation, Have, Base, Next) = (Next, 0, 0, 0);
        Kept.Clear();
    }
}
