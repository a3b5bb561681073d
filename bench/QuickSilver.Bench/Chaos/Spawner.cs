using System.Collections.Concurrent;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// A thread that stays as long as it is needed, to start children on: the kernel's word that a parent has died goes by
/// the thread that started the child, and threads of the pool come and go.
/// </summary>
internal sealed class Spawner : IDisposable
{
    private readonly BlockingCollection<Action> _work = [];

    /// <summary>Starts the thread.</summary>
    public Spawner() => new Thread(Run) { IsBackground = true, Name = "spawner" }.Start();

    /// <summary>Does something on it.</summary>
    public Task<T> RunAsync<T>(Func<T> work)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        _work.Add(() =>
        {
            try
            {
                done.SetResult(work());
            }
            catch (Exception failure)
            {
                done.SetException(failure);
            }
        });
        return done.Task;
    }

    /// <inheritdoc/>
    public void Dispose() => _work.CompleteAdding();

    private void Run()
    {
        foreach (Action work in _work.GetConsumingEnumerable()) work();
    }
}
