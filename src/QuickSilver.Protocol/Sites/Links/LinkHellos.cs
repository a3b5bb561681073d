using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>The hellos of a link: when they go, how many have come in a row, and when the other end counts as silent.
/// </summary>
internal sealed class LinkHellos(LinkIdentity identity, LinkSettings settings, LinkRoundTrip roundTrip)
{
    // Hellos in the time of one, where the other end answers and the link is not up: it is up sooner.
    private const int Hurry = 4;

    private ulong _number;
    private ulong _heard;
    private Instant _heardAt;
    private int _inARow;
    private Instant _answeredAt;
    private Instant _signAt;
    private readonly Instant[] _sentAt = new Instant[64];

    /// <summary>When the next goes.</summary>
    public Instant Due { get; private set; }

    /// <summary>Packets beyond the cumulative number that the other end takes.</summary>
    public int PeerWindow { get; private set; } = 1;

    /// <summary>True when enough have come in a row.</summary>
    public bool HaveConnected => _inARow >= settings.HellosToConnect;

    /// <summary>When the other end counts as silent, unless something comes.</summary>
    public Instant MissedAt =>
        _signAt + (settings.HelloInterval * settings.HellosMissed) + (settings.HelloInterval / 2);

    /// <summary>Begins again, with another epoch of the other end.</summary>
    public void Begin(Instant now)
    {
        _heard = 0;
        _inARow = 0;
        _signAt = now;
        Due = now;
    }

    /// <summary>Makes the next hello.</summary>
    /// <param name="isDue">True when it is the one that is due; false for an answer to an epoch that has not proven
    /// itself.</param>
    /// <param name="now">The present instant.</param>
    public HelloBody Next(bool isDue, Instant now)
    {
        bool isConnecting = _inARow > 0 && !HaveConnected;
        if (isDue) Due = now + (isConnecting ? settings.HelloInterval / Hurry : settings.HelloInterval);
        _number++;
        _sentAt[_number % (ulong)_sentAt.Length] = now;
        ulong echo = isDue ? _heard : 0;
        return new HelloBody(
            identity.Configuration, identity.Site, identity.Node, settings.ReceiveWindow, _number, echo,
            echo > 0 ? now - _heardAt : default);
    }

    /// <summary>A hello of the epoch that connects has come.</summary>
    /// <returns>False when it was overtaken, or doubled on its way.</returns>
    public bool OnHello(in HelloBody hello, Instant now)
    {
        // One that was overtaken, or doubled on its way, is no further sign.
        if (hello.Number <= _heard) return false;
        bool isLate = _inARow > 0 && now - _signAt > settings.HelloInterval * 3;
        _inARow = isLate ? 1 : _inARow + 1;
        if (_inARow == 1) Due = now;
        _heard = hello.Number;
        _heardAt = now;
        PeerWindow = hello.Window;
        OnSign(now);
        if (hello.Echo == 0 || hello.Echo > _number || _number - hello.Echo >= (ulong)_sentAt.Length) return true;
        TimeSpan sample = now - _sentAt[hello.Echo % (ulong)_sentAt.Length] - hello.Held;
        if (sample >= TimeSpan.Zero) roundTrip.Add(sample, now);
        return true;
    }

    /// <summary>The other end has given a sign of life.</summary>
    public void OnSign(Instant now) => _signAt = now;

    /// <summary>True when it has been silent too long.</summary>
    public bool AreMissed(Instant now) => now >= MissedAt;

    /// <summary>True when a hello that proves nothing may be answered: half a hello's time after the one before.
    /// </summary>
    public bool MayAnswer(Instant now)
    {
        if (_answeredAt != Instant.Zero && now - _answeredAt < settings.HelloInterval / 2) return false;
        _answeredAt = now;
        return true;
    }
}
