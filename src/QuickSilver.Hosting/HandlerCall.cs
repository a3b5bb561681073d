using Microsoft.Extensions.DependencyInjection;

namespace QuickSilver.Hosting;

/// <summary>Provides the instances of one handler: the same for all messages, or one for each.</summary>
internal sealed class HandlerCall
{
    private readonly HandlerRegistration _registration;
    private readonly IServiceScopeFactory _scopes;

    /// <summary>Resolves the handler, so that a container that cannot make it fails the start.</summary>
    /// <param name="registration">The handler.</param>
    /// <param name="services">The container.</param>
    /// <exception cref="InvalidOperationException">The container cannot make the handler; the message names
    /// it.</exception>
    public HandlerCall(HandlerRegistration registration, IServiceProvider services)
    {
        _registration = registration;
        _scopes = services.GetRequiredService<IServiceScopeFactory>();
        try
        {
            if (!registration.ScopePerMessage)
            {
                Shared = services.GetRequiredService(registration.Type);
                return;
            }
            using IServiceScope scope = _scopes.CreateScope();
            scope.ServiceProvider.GetRequiredService(registration.Type);
        }
        catch (Exception fault)
        {
            throw new InvalidOperationException(
                $"The handler {registration.Type.Name} of group '{registration.Group}' cannot be made: {fault.Message}",
                fault);
        }
    }

    /// <summary>Name of the handler, for the log.</summary>
    public string Name => _registration.Type.Name;

    /// <summary>The instance for all messages; null if each gets its own.</summary>
    public object? Shared { get; }

    /// <summary>Calls an instance of its own for one message, in a scope that ends with it.</summary>
    public async ValueTask CallInScopeAsync<TMessage>(
        TMessage message, Func<object, TMessage, CancellationToken, ValueTask> call, CancellationToken stop)
    {
        AsyncServiceScope scope = _scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            object handler = scope.ServiceProvider.GetRequiredService(_registration.Type);
            await call(handler, message, stop).ConfigureAwait(false);
        }
    }
}
