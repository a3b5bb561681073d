using Microsoft.Extensions.DependencyInjection;

namespace QuickSilver.Hosting;

/// <summary>Provides the instances of one handler: the same for all messages, or one for each.</summary>
internal sealed class HandlerCall
{
    private readonly HandlerRegistration _registration;
    private readonly IServiceScopeFactory _scopes;

    private HandlerCall(HandlerRegistration registration, IServiceScopeFactory scopes, object? shared)
    {
        _registration = registration;
        _scopes = scopes;
        Shared = shared;
    }

    /// <summary>Name of the handler, for the log.</summary>
    public string Name => _registration.Type.Name;

    /// <summary>The instance for all messages; null if each gets its own.</summary>
    public object? Shared { get; }

    /// <summary>Resolves the handler, so that a container that cannot make it fails the start.</summary>
    /// <param name="registration">The handler.</param>
    /// <param name="services">The container.</param>
    /// <exception cref="InvalidOperationException">The container cannot make the handler; the message names
    /// it.</exception>
    public static async Task<HandlerCall> CreateAsync(HandlerRegistration registration, IServiceProvider services)
    {
        try
        {
            IServiceScopeFactory scopes = services.GetRequiredService<IServiceScopeFactory>();
            if (!registration.ScopePerMessage)
                return new HandlerCall(registration, scopes, services.GetRequiredService(registration.Type));
            // Ended as after a message: a service may be disposable in that way alone.
            AsyncServiceScope scope = scopes.CreateAsyncScope();
            await using (scope.ConfigureAwait(false)) scope.ServiceProvider.GetRequiredService(registration.Type);
            return new HandlerCall(registration, scopes, null);
        }
        catch (Exception fault)
        {
            throw new InvalidOperationException(
                $"The handler {registration.Type.Name} of group '{registration.Group}' cannot be made: {fault.Message}",
                fault);
        }
    }

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
