using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>
/// A stream of this site: its records until every site that they are for holds them. Sites that cannot be reached are
/// not waited for. So a slow site holds up the sender, by the window, and fills no memory on the way.
/// </summary>
internal sealed class OutgoingStream(StreamId id, int sites, int window)
{
    private const int MostDoublings = 3;

    private readonly RingQueue<ReadOnlyMemory<byte>> _kept = new();
    private readonly ulong[] _held = new ulong[sites];
    private Instant _movedAt;
    private int _repairs;

    /// <summary>The stream.</summary>
    public StreamId Id => id;

    /// <summary>The lowest number that some site may lack.</summary>
    public ulong Lowest { get; private set; } = 1;

    /// <summary>The number after the last.</summary>
    public ulong Next => Lowest + (ulong)_kept.Count;

    /// <summary>Records that some site may lack.</summary>
    public int Kept => _kept.Count;

    /// <summary>True when one more may be sent.</summary>
    public bool HasRoom => _kept.Count < window;

    /// <summary>Sites that the stream is for, and that can be reached.</summary>
    public SiteSet Targets { get; private set; }

    /// <summary>The site that holds up the stream: that which holds least; negative when none is waited for.</summary>
    public int Slowest
    {
        get
        {
            int slowest = -1;
            if (_kept.Count == 0) return slowest;
            for (int site = 0; site < _held.Length; site++)
            {
                if (!Targets.Contains(site)) continue;
                if (slowest < 0 || _held[site] < _held[slowest]) slowest = site;
            }
            return slowest;
        }
    }

    /// <summary>A record that is kept.</summary>
    public ReadOnlyMemory<byte> this[ulong number] => _kept[(int)(number - Lowest)];

    /// <summary>Adds a record.</summary>
    /// <returns>Its number.</returns>
    public ulong Add(ReadOnlyMemory<byte> payload, Instant now)
    {
        Debug.Assert(HasRoom, "the window is kept");
        if (_kept.Count == 0) _movedAt = now;
        _kept.Enqueue(payload);
        return Next - 1;
    }

    /// <summary>Other sites are those that it is for.</summary>
    /// <returns>The sites that were not before.</returns>
    public SiteSet SetTargets(SiteSet targets, Instant now)
    {
        SiteSet added = targets.Except(Targets);
        Targets = targets;
        Advance(now);
        return added;
    }

    /// <summary>A site's gateway has restarted: it holds nothing.</summary>
    public void Forget(int site)
    {
        _held[site] = 0;
        Targets = Targets.Without(site);
    }

    /// <summary>A site holds all up to a number.</summary>
    /// <returns>False when it was never sent.</returns>
    public bool OnHeld(int site, ulong held, Instant now)
    {
        if (held >= Next) return false;
        if (held <= _held[site]) return true;
        _held[site] = held;
        if (Targets.Contains(site)) Advance(now);
        return true;
    }

    /// <summary>The number up to which a site holds all.</summary>
    public ulong HeldBy(int site) => _held[site];

    /// <summary>When the stream counts as standing: later with each repair that moved nothing.</summary>
    public Instant StandsAt(TimeSpan after) =>
        _kept.Count == 0 ? Instant.Never : _movedAt + (after * (1 << Math.Min(_repairs, MostDoublings)));

    /// <summary>Its lowest records are sent again.</summary>
    public void OnRepaired(Instant now)
    {
        _movedAt = now;
        _repairs++;
    }

    /// <summary>The sites that lack a record, as far as is known.</summary>
    public SiteSet Lacking(ulong number)
    {
        SiteSet lacking = Targets;
        for (int site = 0; site < _held.Length; site++)
        {
            if (lacking.Contains(site) && _held[site] >= number) lacking = lacking.Without(site);
        }
        return lacking;
    }

    private void Advance(Instant now)
    {
        ulong least = Next - 1;
        for (int site = 0; site < _held.Length; site++)
        {
            if (Targets.Contains(site)) least = Math.Min(least, _held[site]);
        }
        if (least < Lowest) return;
        for (; Lowest <= least; Lowest++) _kept.Dequeue();
        _movedAt = now;
        _repairs = 0;
    }
}
