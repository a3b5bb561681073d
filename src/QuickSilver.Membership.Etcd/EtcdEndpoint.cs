using Grpc.Core;

namespace QuickSilver.Membership.Etcd;

/// <summary>
/// A member of etcd. After a call without an answer the next one makes a new connection: a peer that vanished leaves an
/// old one open for minutes, and the files of certificates may be new.
/// </summary>
/// <param name="address">Its address.</param>
/// <param name="options">Options without a fault.</param>
internal sealed class EtcdEndpoint(Uri address, EtcdOptions options) : IDisposable
{
    private readonly Lock _gate = new();
    private EtcdConnection? _current;
    private bool _isDisposed;

    /// <summary>"10.0.0.5:2379".</summary>
    public string Name { get; } = EtcdAddress.Display(address);

    /// <summary>Makes a call.</summary>
    /// <exception cref="EtcdUnansweredException">There is no answer.</exception>
    /// <exception cref="IOException">etcd refuses, or a file of certificates is not valid.</exception>
    /// <exception cref="OperationCanceledException">The caller waits no longer.</exception>
    public async Task<T> CallAsync<T>(
        Func<EtcdConnection, CallOptions, Task<T>> call, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        EtcdConnection connection = Enter();
        bool isAnswered = false;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.RequestTimeout);
        try
        {
            T answer = await connection.CallAsync(call, limit.Token).ConfigureAwait(false);
            isAnswered = true;
            return answer;
        }
        catch (Exception failure) when (failure is RpcException or OperationCanceledException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            isAnswered = failure is RpcException { StatusCode: var status } && IsAnswer(status);
            throw Explain(failure, isAnswered, limit.IsCancellationRequested);
        }
        finally
        {
            Leave(connection, isAnswered);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            if (_current is { Calls: 0 }) _current.Dispose();
            _current = null;
        }
    }

    // What another member would say, too.
    private static bool IsAnswer(StatusCode status) => status is StatusCode.Unauthenticated
        or StatusCode.PermissionDenied or StatusCode.InvalidArgument or StatusCode.FailedPrecondition
        or StatusCode.NotFound or StatusCode.AlreadyExists or StatusCode.OutOfRange;

    private IOException Explain(Exception failure, bool isAnswered, bool isLate)
    {
        string detail = failure is RpcException call ? Detail(call.Status) : failure.Message;
        if (isAnswered) return new IOException($"{Name} refuses: {detail}", failure);
        return isLate
            ? new EtcdUnansweredException(
                $"{Name} has not answered within {options.RequestTimeout.TotalSeconds:0.###} s", failure)
            : new EtcdUnansweredException($"{Name} does not answer: {detail}", failure);
    }

    private static string Detail(Status status)
    {
        Exception? cause = status.DebugException;
        while (cause?.InnerException is { } inner) cause = inner;
        return (cause?.Message ?? status.Detail).TrimEnd('.');
    }

    private EtcdConnection Enter()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(EtcdElection));
            _current ??= new EtcdConnection(address, options);
            _current.Calls++;
            return _current;
        }
    }

    private void Leave(EtcdConnection connection, bool isAnswered)
    {
        lock (_gate)
        {
            connection.Calls--;
            if (!isAnswered && _current == connection) _current = null;
            if (_current != connection && connection.Calls == 0) connection.Dispose();
        }
    }
}
