namespace QuickSilver.Membership;

/// <summary>The servers that a node knows, and what came of the last attempt at each. Any thread.</summary>
internal sealed class ServerRound
{
    private readonly Lock _lock = new();
    private readonly IReadOnlyList<(string Host, int Port)> _configured;
    private readonly List<Known> _all;
    private readonly bool _isFinal;
    private long _turn;

    /// <summary>Knows the servers of the configuration.</summary>
    public ServerRound(IReadOnlyList<(string Host, int Port)> configured)
    {
        _configured = configured;
        _all = [.. configured.Select(static one => new Known(one.Host, one.Port))];
        _isFinal = true;
    }

    // What was found leaves the round again when it is no longer found.
    private ServerRound(ServerRound before, IReadOnlyList<(string Host, int Port)> found)
    {
        _configured = before._configured;
        _turn = before._turn;
        _all = [.. found.Concat(_configured).Distinct().Select(
            one => before._all.Find(known => (known.Host, known.Port) == one) ?? new Known(one.Host, one.Port))];
    }

    /// <summary>The same servers of the configuration, with others that were found, which come first.</summary>
    public ServerRound With(IReadOnlyList<(string Host, int Port)> found)
    {
        lock (_lock) return new ServerRound(this, found);
    }

    /// <summary>Takes the server that was tried longest ago, of several the first.</summary>
    /// <returns>The server; null if none is known.</returns>
    public Known? Begin()
    {
        lock (_lock)
        {
            Known? next = _all.MinBy(static one => one.Turn);
            if (next is null) return null;
            next.Turn = ++_turn;
            next.Outcome ??= $"{next.Place}: it is called, and has not answered yet";
            return next;
        }
    }

    /// <summary>Notes what came of an attempt.</summary>
    /// <param name="tried">The server.</param>
    /// <param name="reached">What came of it.</param>
    /// <returns>The same; for a failure with those of all servers.</returns>
    public Reached End(Known tried, in Reached reached)
    {
        lock (_lock)
        {
            tried.Outcome = reached.Socket is null
                ? reached.Failure
                : $"{tried.Place}: it was reached, and has not admitted this node";
            tried.Failure = reached;
            if (reached.Socket is not null)
            {
                foreach (Known one in _all) one.Failure = null;
                return reached;
            }
            string all = string.Join(
                "; ", _all.Select(static one => one.Failure).OfType<Reached>().Select(static one => one.Failure));
            // Another server may still take the node. One that was found may be anybody's.
            bool isVerdict = _isFinal && _all.TrueForAll(static one => one.Failure is { IsVerdict: true });
            return new Reached(null, null, all, isVerdict);
        }
    }

    /// <summary>Describes what came of the last attempt at each server; empty if none is known.</summary>
    public string Describe()
    {
        lock (_lock)
        {
            return string.Join("; ", _all.Select(static one => one.Outcome ?? $"{one.Place}: it was not tried yet"));
        }
    }

    /// <summary>A server that is known.</summary>
    /// <param name="host">Its name or address.</param>
    /// <param name="port">Its port.</param>
    internal sealed class Known(string host, int port)
    {
        /// <summary>Its name or address.</summary>
        public string Host => host;

        /// <summary>Its port.</summary>
        public int Port => port;

        /// <summary>"10.0.0.5:14999".</summary>
        public string Place => MembershipOptions.PlaceOf(host, port);

        /// <summary>The turn in which it was tried last; 0: in none.</summary>
        public long Turn { get; set; }

        /// <summary>What came of the last attempt, for operators; null if there was none.</summary>
        public string? Outcome { get; set; }

        /// <summary>The last failure since a server was reached.</summary>
        public Reached? Failure { get; set; }
    }
}
