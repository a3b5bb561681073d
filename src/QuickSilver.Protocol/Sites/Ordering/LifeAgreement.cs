namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What third sites have of another one's entries, by what they tell: when its life ends, all are to have the
/// same.</summary>
/// <param name="own">Index of the own site.</param>
/// <param name="peers">All sites.</param>
internal sealed class LifeAgreement(int own, PeerStream[] peers)
{
    /// <summary>True when a site's life ends, and all others have the same of it.</summary>
    public bool IsAgreed(int site) =>
        peers[site].Next != 0 && TryAgree(site, out ulong last, out ulong least) && least == last;

    /// <summary>The last entry of a site's present life that all others have.</summary>
    public ulong HadByAll(int site)
    {
        ulong life = peers[site].Incarnation, had = peers[site].Have;
        for (int third = 0; third < peers.Length; third++)
        {
            if (third == own || third == site) continue;
            StreamReport told = peers[third].Told(site);
            if (told.Incarnation == life) had = Math.Min(had, told.Have);
            else if (told.Incarnation < life) return 0;
        }
        return had;
    }

    /// <summary>A site that has not opened the life of another one that is open here, or lacks what is not needed here;
    /// negative when there is none. Before that a site does not begin: entries that it lacks might come to others, at
    /// places behind its first.</summary>
    public int SlowestToOpen()
    {
        for (int site = 0; site < peers.Length; site++)
        {
            for (int third = 0; third < peers.Length; third++)
            {
                if (site == own || third == own || third == site) continue;
                StreamReport told = peers[third].Told(site);
                bool isSame = told.Incarnation == peers[site].Incarnation && told.Next == 0;
                if (!isSame || told.Have < peers[site].Base) return third;
            }
        }
        return -1;
    }

    /// <summary>Entries of sites whose lives end, which the own site is the first to have.</summary>
    public IReadOnlyList<OrderedEntry> ToForward()
    {
        var entries = new List<OrderedEntry>();
        for (int site = 0; site < peers.Length; site++)
        {
            if (site == own || peers[site].Next == 0 || !TryAgree(site, out ulong last, out ulong least)) continue;
            if (last == least || peers[site].Have < last || !IsFirstWith(site, last)) continue;
            for (ulong number = least + 1; number <= last; number++)
            {
                if (peers[site].Kept.Find(number) is { } entry) entries.Add(entry);
            }
        }
        return entries;
    }

    // False until each third site takes no more of the present life, or has closed it. What they have of it then.
    private bool TryAgree(int site, out ulong last, out ulong least)
    {
        ulong life = peers[site].Incarnation;
        last = least = peers[site].Have;
        for (int third = 0; third < peers.Length; third++)
        {
            if (third == own || third == site) continue;
            StreamReport told = peers[third].Told(site);
            ulong had;
            if (told.Incarnation == life && told.Next != 0) had = told.Have;
            else if (told.Before == life) had = told.HadBefore;
            // A site that began after that life has nothing of it, and needs nothing.
            else if (told.Incarnation > life) continue;
            else return false;
            last = Math.Max(last, had);
            least = Math.Min(least, had);
        }
        return true;
    }

    private bool IsFirstWith(int site, ulong last)
    {
        for (int third = 0; third < own; third++)
        {
            if (third == site) continue;
            StreamReport told = peers[third].Told(site);
            if (told.Incarnation == peers[site].Incarnation && told.Have == last) return false;
        }
        return true;
    }
}
