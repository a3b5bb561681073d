using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// Completions waiting to be handled, sorted by priority class, in the order of arrival within a class: one queue for each class, so that sorting
/// costs nothing and what a turn leaves over is in order with what the next one brings. The word that a socket is empty waits in the last class,
/// behind every read of that socket that came before it. Allocates nothing once it has grown.
/// </summary>
internal sealed class CompletionBacklog
{
    private readonly Queue<Completion>[] _byClass = new Queue<Completion>[PriorityClasses.Count];

    internal CompletionBacklog()
    {
        for (int index = 0; index < _byClass.Length; index++) _byClass[index] = new Queue<Completion>();
    }

    internal int Count { get; private set; }

    internal void Add(in Completion completion)
    {
        int index = completion.IsDrained ? _byClass.Length - 1 : Math.Min((int)completion.Priority, _byClass.Length - 1);
        _byClass[index].Enqueue(completion);
        Count++;
    }

    internal bool TryNext(out Completion completion)
    {
        foreach (Queue<Completion> queue in _byClass)
        {
            if (!queue.TryDequeue(out completion)) continue;
            Count--;
            return true;
        }
        completion = default;
        return false;
    }
}
