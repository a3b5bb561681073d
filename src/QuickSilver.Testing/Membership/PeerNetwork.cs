using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Membership;

/// <summary>The network between the hosts of an election: what passes, and how long it takes.</summary>
/// <param name="model">How the hosts elect.</param>
/// <param name="unit">Draws a number from 0 to 1.</param>
internal sealed class PeerNetwork(ElectionModel model, Func<double> unit)
{
    private readonly List<(int Hosts, Instant Until, bool IsOneWay)> _cuts = [];
    private Instant _outUntil;
    private Instant _slowUntil;
    private TimeSpan _slowness;

    /// <summary>Nothing passes from some hosts to the others until an instant.</summary>
    /// <param name="hosts">A bit for each of them.</param>
    /// <param name="until">The instant.</param>
    /// <param name="isOneWay">True when the others reach them.</param>
    public void Cut(int hosts, Instant until, bool isOneWay) => _cuts.Add((hosts, until, isOneWay));

    /// <summary>Nothing passes at all until an instant.</summary>
    public void Silence(Instant until)
    {
        if (until > _outUntil) _outUntil = until;
    }

    /// <summary>All takes longer until an instant.</summary>
    public void Slow(Instant until, TimeSpan delay)
    {
        if (until > _slowUntil) _slowUntil = until;
        _slowness = delay;
    }

    /// <summary>How long a message takes; null when it is lost.</summary>
    /// <param name="from">The index of the sender.</param>
    /// <param name="to">The index of the receiver.</param>
    /// <param name="now">The present instant.</param>
    public TimeSpan? DelayOf(int from, int to, Instant now)
    {
        if (now < _outUntil || IsCut(from, to, now)) return null;
        if (unit() < model.Loss && now < Instant.Zero + model.LossUntil) return null;
        TimeSpan delay = model.Delay + (now < _slowUntil ? _slowness : TimeSpan.Zero);
        return delay * unit();
    }

    private bool IsCut(int from, int to, Instant now)
    {
        _cuts.RemoveAll(cut => cut.Until <= now);
        return _cuts.Exists(cut =>
            IsIn(cut.Hosts, from) != IsIn(cut.Hosts, to) && (!cut.IsOneWay || IsIn(cut.Hosts, from)));
    }

    private static bool IsIn(int hosts, int host) => (hosts & (1 << host)) != 0;
}
