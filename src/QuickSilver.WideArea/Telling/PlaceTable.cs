using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace QuickSilver.WideArea.Telling;

/// <summary>What a gateway has told of groups and sites, at a node of its site. Bounded. Any thread.</summary>
internal sealed class PlaceTable
{
    private const int MostPlaces = 16_384;
    private const int MostSites = 64;
    private const int MostBehind = 1024;

    private static readonly TimeSpan Validity = TimeSpan.FromSeconds(3);

    private readonly Lock _lock = new();
    private readonly Dictionary<(string Group, string Site), SiteMembers> _places = [];
    private readonly Dictionary<string, SiteRoute> _routes = [];
    private readonly List<Channel<SiteMembers>> _readers = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private AliveBody _gateway;
    private long _heardAt = Environment.TickCount64 - (long)Validity.TotalMilliseconds;
    private bool _isHeard;
    private bool _hasEnded;

    /// <summary>Name of the own site; null until a gateway was heard.</summary>
    public string? Own
    {
        get
        {
            lock (_lock) return _gateway.Site;
        }
    }

    /// <summary>True while a gateway is heard.</summary>
    public bool HasGateway
    {
        get
        {
            lock (_lock) return IsFresh;
        }
    }

    /// <summary>When a gateway was heard last.</summary>
    public long SilentSince
    {
        get
        {
            lock (_lock) return _heardAt;
        }
    }

    /// <summary>Completes with the next change.</summary>
    public Task Changed
    {
        get
        {
            lock (_lock) return _changed.Task;
        }
    }

    private bool IsFresh => _isHeard && Environment.TickCount64 - _heardAt < Validity.TotalMilliseconds;

    /// <summary>The sites of a group, by name.</summary>
    public IReadOnlyList<SiteMembers> Of(string group)
    {
        lock (_lock)
        {
            bool isFresh = IsFresh;
            return [.. _places.Values.Where(place => place.Group == group)
                .Select(place => isFresh ? place : Cut(place))
                .OrderBy(static place => place.Site, StringComparer.Ordinal)];
        }
    }

    /// <summary>The other sites, by name; none while no gateway is heard.</summary>
    public IReadOnlyList<SiteRoute> Routes()
    {
        lock (_lock)
        {
            return IsFresh ? [.. _routes.Values.OrderBy(static one => one.Site, StringComparer.Ordinal)] : [];
        }
    }

    /// <summary>A gateway is there.</summary>
    public void OnAlive(in AliveBody alive)
    {
        lock (_lock)
        {
            // A gateway that another has taken over from is not heard.
            bool wasHeard = IsFresh;
            if (wasHeard && alive.Number < _gateway.Number) return;
            if (alive.Number != _gateway.Number)
            {
                _places.Clear();
                _routes.Clear();
            }
            _gateway = alive;
            _heardAt = Environment.TickCount64;
            _isHeard = true;
            if (!wasHeard) Tell(_places.Values);
        }
    }

    /// <summary>A gateway tells who is where.</summary>
    public void OnPlace(in PlaceBody place)
    {
        lock (_lock)
        {
            if (place.Number != _gateway.Number) return;
            (string, string) key = (place.Group, place.Site);
            if (_places.Count >= MostPlaces && !_places.ContainsKey(key)) return;
            var members = new SiteMembers(
                place.Group, place.Site, place.IsReached, place.Receives, place.Roster.Count, place.Roster.Names);
            _places[key] = members;
            Tell([members]);
        }
    }

    /// <summary>A gateway tells how it reaches another site.</summary>
    public void OnSite(in SiteBody site)
    {
        lock (_lock)
        {
            if (site.Number != _gateway.Number) return;
            string name = site.Route.Site;
            if (_routes.Count < MostSites || _routes.ContainsKey(name)) _routes[name] = site.Route;
        }
    }

    /// <summary>Time has passed: a gateway that fell silent tells nothing that counts.</summary>
    public void Look()
    {
        lock (_lock)
        {
            if (!_isHeard || IsFresh) return;
            _isHeard = false;
            Tell(_places.Values.Select(Cut));
        }
    }

    /// <summary>Nothing more is told.</summary>
    public void End()
    {
        lock (_lock)
        {
            _hasEnded = true;
            foreach (Channel<SiteMembers> reader in _readers) reader.Writer.TryComplete();
        }
    }

    /// <summary>Reads what is known, then what changes.</summary>
    public async IAsyncEnumerable<SiteMembers> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var limit = new BoundedChannelOptions(MostBehind)
        {
            FullMode = BoundedChannelFullMode.DropOldest,
            SingleReader = true,
        };
        var channel = Channel.CreateBounded<SiteMembers>(limit);
        SiteMembers[] known;
        lock (_lock)
        {
            bool isFresh = IsFresh;
            known = [.. _places.Values.Select(place => isFresh ? place : Cut(place))];
            if (_hasEnded) channel.Writer.TryComplete();
            _readers.Add(channel);
        }
        try
        {
            foreach (SiteMembers place in known) yield return place;
            await foreach (SiteMembers place in channel.Reader.ReadAllAsync(cancellationToken).ConfigureAwait(false))
                yield return place;
        }
        finally
        {
            lock (_lock) _readers.Remove(channel);
        }
    }

    private void Tell(IEnumerable<SiteMembers> changes)
    {
        foreach (SiteMembers change in changes)
        {
            foreach (Channel<SiteMembers> reader in _readers) reader.Writer.TryWrite(change);
        }
        TaskCompletionSource changed = _changed;
        _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        changed.SetResult();
    }

    private SiteMembers Cut(SiteMembers place) =>
        place.Site == _gateway.Site ? place : place with { IsReached = false, Receives = false };
}
