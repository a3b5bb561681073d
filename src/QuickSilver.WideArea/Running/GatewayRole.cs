using QuickSilver.Protocol.Sites;
using QuickSilver.Runtime;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Running;

/// <summary>Makes of a gateway what it is to be: begins a life when it becomes active, and ends it when another is.
/// Told by <see cref="GatewayPresence"/>, one call at a time.</summary>
/// <param name="parts">What the gateway has.</param>
/// <param name="workers">Members of the groups.</param>
internal sealed class GatewayRole(GatewayParts parts, IReadOnlyList<GroupWorker> workers) : IGatewayRole
{
    // Streams of other sites that are remembered.
    private const int MostStreams = 65_536;

    private readonly SemaphoreSlim _turn = new(1);
    private readonly Dictionary<StreamId, ulong> _taken = [];
    private GatewayLife? _life;
    private string? _other;
    private bool _wasOther;
    private bool _isEnding;

    /// <summary>The life that runs, or the last one; null before the first. Any thread.</summary>
    public GatewayLife? Life => Volatile.Read(ref _life);

    /// <summary>Name of the node beside the active gateway; null when it is this one, or not known. Any thread.
    /// </summary>
    public string? Other => Volatile.Read(ref _other);

    /// <summary>Called with each life that begins.</summary>
    public Action<GatewayLife>? OnLife { get; init; }

    /// <summary>This gateway is the active one. What an eviction has interrupted goes on.</summary>
    public async Task BeActiveAsync()
    {
        if (Life is not null) return;
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_isEnding) return;
            Volatile.Write(ref _other, null);
            // Other sites follow the highest number, whatever the clocks of the site's machines say.
            ulong number = Math.Max(Incarnations.Next(), parts.Presence.HighestNode + 1);
            parts.Presence.OnLife(number);
            long kept = workers.Sum(static worker => (long)worker.Kept);
            var life = new GatewayLife(parts, number, workers, _taken);
            if (_wasOther) parts.Log.Post(logger => Log.TakesOver(logger, parts.Options.Site, kept));
            OnLife?.Invoke(life);
            Volatile.Write(ref _life, life);
            life.Start(_wasOther);
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Another gateway is active: links end, and what members send is kept.</summary>
    /// <param name="other">Name of the node beside it.</param>
    public async Task StandByAsync(string other)
    {
        if (Life is null && Other == other) return;
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_isEnding) return;
            _wasOther = true;
            GatewayLife? life = Life;
            Volatile.Write(ref _life, null);
            if (life is not null) await life.EndAsync(tells: false).ConfigureAwait(false);
            Volatile.Write(ref _other, other);
            parts.Log.Post(logger => Log.StandsBy(logger, parts.Options.Site, other));
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>The active gateway tells what other sites hold and what is published here.</summary>
    public void OnProgress(GatewayProgress progress)
    {
        GroupWorker? worker = workers.FirstOrDefault(one => one.Number == progress.Group);
        foreach ((MemberId sender, ulong sequence) in progress.Held) worker?.OnHeld(sender, sequence);
        foreach ((StreamId stream, ulong number) in progress.Taken)
        {
            if (_taken.Count >= MostStreams) _taken.Clear();
            _taken[stream] = Math.Max(number, _taken.GetValueOrDefault(stream));
        }
    }

    /// <summary>Ends, once and for all.</summary>
    /// <param name="drain">How long other sites may take to hold what was sent; zero: as a crash.</param>
    public async Task EndAsync(TimeSpan drain)
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            _isEnding = true;
            if (Life is not { } life) return;
            if (drain > TimeSpan.Zero) await life.DrainAsync(drain).ConfigureAwait(false);
            else life.Kill();
            await life.EndAsync(tells: drain > TimeSpan.Zero).ConfigureAwait(false);
        }
        finally
        {
            _turn.Release();
        }
    }
}
