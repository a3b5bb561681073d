namespace QuickSilver.Protocol.Sites.Links;

/// <summary>The times and limits of one link. Both ends may differ in them.</summary>
internal sealed record LinkSettings
{
    /// <summary>How often a hello goes.</summary>
    public TimeSpan HelloInterval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Hellos that must come, each with the own epoch in it, before a link is up.</summary>
    public int HellosToConnect { get; init; } = 6;

    /// <summary>Hellos that may stay away before a link has failed.</summary>
    public int HellosMissed { get; init; } = 10;

    /// <summary>How long a failed link rests before it is tried again.</summary>
    public TimeSpan FailedRest { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>How far the highest number is above a hole when the hole is asked for.</summary>
    public int GapPackets { get; init; } = 3;

    /// <summary>The shortest wait for a hole that is not so far below the highest number; an eighth of the round trip
    /// if that is longer.</summary>
    public TimeSpan GapDelay { get; init; } = TimeSpan.FromMilliseconds(2);

    /// <summary>Requests for one packet before a link has failed.</summary>
    public int MostNacks { get; init; } = 10;

    /// <summary>The shortest time for which a packet is asked for before a link has failed; eight round trips if that
    /// is longer.</summary>
    public TimeSpan NackTime { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long an acknowledgement waits for a second packet, or for one to ride on.</summary>
    public TimeSpan AckDelay { get; init; } = TimeSpan.FromMilliseconds(10);

    /// <summary>The shortest time after which the end of the stream is said again.</summary>
    public TimeSpan LingerFloor { get; init; } = TimeSpan.FromMilliseconds(2);

    /// <summary>The longest time after which the end of the stream is said again.</summary>
    public TimeSpan LingerCap { get; init; } = TimeSpan.FromSeconds(9);

    /// <summary>Round trip assumed before the first hello is answered.</summary>
    public TimeSpan InitialRoundTrip { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Packets beyond the cumulative number that this end takes; a power of two.</summary>
    public int ReceiveWindow { get; init; } = 8192;

    /// <summary>Packets that this end keeps open, at most; a power of two.</summary>
    public int OpenPackets { get; init; } = 8192;

    /// <summary>The longest record that the link carries, in bytes.</summary>
    public int MaxRecord { get; init; } = 1400;

    /// <summary>Bytes a second that the link sends, at most, resends included; 0: no cap.</summary>
    public long MaxRate { get; init; }

    /// <summary>After how many packets their parity goes, by which the other end rebuilds one that is lost: 1 to
    /// <see cref="Frames.ParityBody.MostPackets"/>. It goes earlier where packets are few: <see cref="ParityWriter"/>.
    /// 0: never.</summary>
    public int ParityEvery { get; init; }

    /// <summary>True when the carrier is a connection that keeps order, loses nothing while it lasts, and finds its own
    /// pace, as TCP does. What leaves is then bounded by <see cref="ILinkHost.HasRoom"/> alone, and by
    /// <see cref="MaxRate"/>: the regulator only measures, and nobody says again where the stream ends. Both ends have
    /// the same. See <see cref="OverStream"/>.</summary>
    public bool IsStream { get; init; }

    /// <summary>These settings for a carrier that is a connection. What it repairs holds up all that follows, so the
    /// other end may be silent for three seconds. Nothing is lost, so no parity goes. The end of the connection is told
    /// by <see cref="Link.OnDisconnected"/>.</summary>
    public LinkSettings OverStream() => this with
    {
        IsStream = true,
        HellosMissed = 30,
        ParityEvery = 0,
    };
}
