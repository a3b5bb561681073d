using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using QuickSilver.Dashboard.Figures;

namespace QuickSilver.Dashboard.Sharing;

/// <summary>One tick, and the answers that were made of it: the same question is answered by the same bytes.</summary>
/// <param name="figures">The cluster at this tick.</param>
internal sealed class Frame(ClusterFigures figures)
{
    // More questions than pages: what is asked beyond is answered without being kept.
    private const int MostKept = 1024;

    private readonly ConcurrentDictionary<string, Lazy<byte[]?>> _answers = new(StringComparer.Ordinal);
    private int _serialisations;

    /// <summary>The cluster at this tick.</summary>
    public ClusterFigures Figures => figures;

    /// <summary>How many answers were made of it.</summary>
    public int Serialisations => Volatile.Read(ref _serialisations);

    /// <summary>The answer to a question, made once.</summary>
    /// <typeparam name="T">Type of the answer.</typeparam>
    /// <param name="question">Names the question, with all that the answer depends on.</param>
    /// <param name="type">How the answer is written.</param>
    /// <param name="make">Makes the answer; null for none, which is not kept.</param>
    /// <returns>The answer as UTF-8; null for none.</returns>
    public byte[]? AnswerTo<T>(string question, JsonTypeInfo<T> type, Func<ClusterFigures, T?> make)
        where T : class
    {
        Lazy<byte[]?> answer = _answers.Count < MostKept
            ? _answers.GetOrAdd(question, _ => new Lazy<byte[]?>(Make))
            : _answers.GetValueOrDefault(question) ?? new Lazy<byte[]?>(Make);
        if (answer.Value is null) _answers.TryRemove(question, out _);
        return answer.Value;

        byte[]? Make()
        {
            if (make(figures) is not { } made) return null;
            Interlocked.Increment(ref _serialisations);
            return JsonSerializer.SerializeToUtf8Bytes(made, type);
        }
    }
}
