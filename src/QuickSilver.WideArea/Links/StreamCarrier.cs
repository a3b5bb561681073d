using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Sites;
using QuickSilver.Security;
using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// The connections of a gateway: those that were taken (<see cref="StreamListener"/>) and those that were made
/// (<see cref="StreamDialer"/>). They live while a loop runs. Any thread.
/// </summary>
/// <param name="site">Name of the own site.</param>
/// <param name="inbox">What they tell the loop.</param>
/// <param name="refusals">Counts those that have no place.</param>
/// <param name="log">The log.</param>
internal sealed class StreamCarrier(
    string site, StreamInbox inbox, ConnectionRefusals refusals, GatewayLog log) : IAsyncDisposable
{
    /// <summary>Connections that have proven to be of a site, at most.</summary>
    public const int MostOfSite = 16;

    private readonly Lock _lock = new();
    private readonly Dictionary<StreamConnection, string?> _open = [];
    private readonly HashSet<Task> _tasks = [];
    private long _dropped;
    private bool _isStopped;

    /// <summary>True while a loop takes what connections tell.</summary>
    public bool HasLoop => inbox.HasLoop;

    /// <summary>Frames that found no place in a connection.</summary>
    public long Dropped
    {
        get
        {
            lock (_lock) return _dropped + _open.Keys.Sum(static connection => connection.Dropped);
        }
    }

    /// <summary>The address of an end, for the log.</summary>
    public static string NameOf(EndPoint? end) => end?.ToString() ?? "an unknown address";

    /// <summary>Whether a connection to an address stands.</summary>
    public bool Has(string address)
    {
        lock (_lock) return _open.ContainsValue(address);
    }

    /// <summary>Whether a connection to a gateway of a site stands, made by either end.</summary>
    public bool HasOf(int peer)
    {
        lock (_lock) return _open.Keys.Any(connection => connection.Sites.Contains(peer));
    }

    /// <summary>Takes a connection over whose other end has proven itself; it then runs until it ends. Without a loop,
    /// or with too many, it ends at once.</summary>
    /// <param name="socket">Its socket, owned from now on.</param>
    /// <param name="secured">Its stream, owned as well.</param>
    /// <param name="sites">Sites of which the other end has proven to be a gateway.</param>
    /// <param name="remote">Where the other end is.</param>
    /// <param name="from">The address that was called; null when the other end has called.</param>
    public async Task AdoptAsync(Socket socket, SecuredStream secured, SiteSet sites, string remote, string? from)
    {
        var connection = new StreamConnection(socket, secured.Stream, sites, remote, inbox)
        {
            Identity = secured.Identity,
        };
        bool isCrowded;
        lock (_lock)
        {
            isCrowded = _open.Keys.Count(one => !(one.Sites & sites).IsEmpty) >= MostOfSite;
            if (!isCrowded && HasLoop && !_isStopped)
            {
                _open.Add(connection, from);
                log.Post(logger => Log.Connected(logger, site, remote, connection.Identity));
                Task task = Task.Run(() => RunAsync(connection));
                _tasks.Add(task);
                _ = task.ContinueWith(
                    Forget, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
                return;
            }
        }
        if (isCrowded) refusals.OnRefused(remote, $"its site has {MostOfSite} connections");
        await secured.Stream.DisposeAsync().ConfigureAwait(false);
        socket.Dispose();
    }

    /// <summary>A loop begins, or ends: all connections then end.</summary>
    /// <param name="wake">Wakes the loop, on any thread; null: none runs.</param>
    public void SetLoop(Action? wake)
    {
        lock (_lock)
        {
            if (wake is null)
            {
                foreach (StreamConnection connection in _open.Keys) connection.Close();
            }
            inbox.SetLoop(wake);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        Task[] open;
        lock (_lock)
        {
            _isStopped = true;
            foreach (StreamConnection connection in _open.Keys) connection.Close();
            open = [.. _tasks];
        }
        await Task.WhenAll(open).ConfigureAwait(false);
    }

    private async Task RunAsync(StreamConnection connection)
    {
        string? reason = await connection.RunAsync().ConfigureAwait(false);
        lock (_lock)
        {
            _open.Remove(connection);
            _dropped += connection.Dropped;
        }
        if (reason is null) return;
        string remote = connection.Remote;
        log.Post(logger => Log.ConnectionClosed(logger, remote, site, reason));
    }

    private void Forget(Task task)
    {
        lock (_lock) _tasks.Remove(task);
    }
}
