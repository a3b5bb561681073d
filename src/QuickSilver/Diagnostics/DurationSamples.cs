using QuickSilver.Protocol.Core;

namespace QuickSilver.Diagnostics;

/// <summary>
/// Durations on their way from the core thread to the histograms of the meter, whose listeners are code of the
/// application and never run on the core thread. The core fills one buffer; a pool thread empties another. What does
/// not fit between two hand-overs is left out: a histogram is of a sample then. Nothing is noted while nobody listens.
/// Core thread, unless a member says otherwise. Allocates nothing after its creation.
/// </summary>
internal sealed class DurationSamples : IThreadPoolWorkItem
{
    /// <summary>The kind of a token round; smaller kinds are phases of a turn.</summary>
    public const int TokenRound = (int)TurnPhase.Pull + 1;

    // Turns and rounds between two hand-overs, with a sample for each phase of a turn.
    private const int MostRounds = 64;
    private const int Most = 512;

    private readonly TimeSpan[] _lastInPhase = new TimeSpan[TokenRound];
    private Sample[] _filling = new Sample[Most];
    private Sample[] _emptying = new Sample[Most];
    private IDurationRecorder? _recorder;
    private TimeSpan _lastSmoothed;
    private ulong _lastRounds;
    private int _count;
    private int _rounds;
    private int _handedOver;
    private bool _isBehind;

    /// <summary>Begins to record. Any thread, once.</summary>
    public void Attach(IDurationRecorder recorder) => Volatile.Write(ref _recorder, recorder);

    /// <summary>Notes the phases of the turn that ends.</summary>
    /// <param name="loop">The counters of the loop.</param>
    /// <param name="wasBusy">Whether the turn did anything; others are not noted.</param>
    /// <param name="rounds">Token rounds that the node has led so far.</param>
    /// <param name="smoothed">Their smoothed duration.</param>
    public void OnTurnEnded(LoopStatistics loop, bool wasBusy, ulong rounds, TimeSpan smoothed)
    {
        if (Volatile.Read(ref _recorder) is not { IsWanted: true })
        {
            // What passes meanwhile is not of the next turn.
            _isBehind = true;
            return;
        }
        bool isFirst = _isBehind;
        _isBehind = false;
        if (rounds != _lastRounds) NoteRound(rounds, smoothed, isFirst);
        for (int phase = 0; phase < TokenRound; phase++)
        {
            TimeSpan total = loop.TimeIn((TurnPhase)phase);
            TimeSpan took = total - _lastInPhase[phase];
            _lastInPhase[phase] = total;
            if (wasBusy && !isFirst && took > TimeSpan.Zero && _count < Most - MostRounds) Add(phase, took);
        }
    }

    /// <summary>Hands what was noted to a pool thread, unless the last is still being recorded.</summary>
    public void HandOver()
    {
        if (_count == 0 || Volatile.Read(ref _handedOver) != 0) return;
        (_filling, _emptying) = (_emptying, _filling);
        Volatile.Write(ref _handedOver, _count);
        _count = 0;
        _rounds = 0;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Records what was handed over. Pool thread.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        IDurationRecorder recorder = _recorder!;
        foreach (Sample sample in _emptying.AsSpan(0, Volatile.Read(ref _handedOver)))
            recorder.Record(sample.Kind, sample.Took);
        Volatile.Write(ref _handedOver, 0);
    }

    // The protocol keeps the smoothed duration s' = (7 s + took) / 8, from which a single round's is had again.
    private void NoteRound(ulong rounds, TimeSpan smoothed, bool isFirst)
    {
        if (!isFirst && rounds == _lastRounds + 1 && _rounds < MostRounds && _count < Most)
        {
            TimeSpan took = _lastRounds == 0 ? smoothed : (8 * smoothed) - (7 * _lastSmoothed);
            if (took > TimeSpan.Zero)
            {
                Add(TokenRound, took);
                _rounds++;
            }
        }
        _lastRounds = rounds;
        _lastSmoothed = smoothed;
    }

    private void Add(int kind, TimeSpan took) => _filling[_count++] = new Sample(kind, took);

    private readonly record struct Sample(int Kind, TimeSpan Took);
}

/// <summary>Takes durations into histograms. Any thread.</summary>
internal interface IDurationRecorder
{
    /// <summary>Whether anybody listens.</summary>
    bool IsWanted { get; }

    /// <summary>Records one; never throws.</summary>
    /// <param name="kind">A phase of a turn, or <see cref="DurationSamples.TokenRound"/>.</param>
    /// <param name="took">How long it took.</param>
    void Record(int kind, TimeSpan took);
}
